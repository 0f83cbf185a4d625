"""What a built library or program has against the misuse of a fault in it, by what readelf says of the file."""

import re
import subprocess


def readelf(path, *options):
    """In the C locale; the file is named without its folder, which may have any characters."""
    command = ["readelf", *options, path.name]
    ran = subprocess.run(command, cwd=path.parent, check=True, capture_output=True, text=True, env={"LC_ALL": "C"})
    return ran.stdout


def segments(headers, kind):
    """The permissions of each segment of a kind: some of R, W, E."""
    return [
        set(flags) for flags in re.findall(rf"^ +{kind} +(?:0x\w+ +){{5}}([RWE ]+?) +0x\w+$", headers, re.MULTILINE)
    ]


def symbols(path):
    """Names that the file misses, and names that it gives to others."""
    rows = [line.split() for line in readelf(path, "--dyn-syms", "-W").splitlines()]
    named = [(row[4], row[6], row[7].split("@")[0]) for row in rows if len(row) > 7 and row[0].rstrip(":").isdigit()]
    missed = {name for _, section, name in named if section == "UND"}
    return missed, {name for binding, section, name in named if section != "UND" and binding != "LOCAL"}


def missing(path):
    """The protections that a library or program lacks, in words; one that can be loaded lies anywhere in memory."""
    headers, dynamic = readelf(path, "-hlW"), readelf(path, "-dW")
    missed, given = symbols(path)
    is_program = " INTERP " in headers
    stacks = segments(headers, "GNU_STACK")
    has_glibc = "[libc.so.6]" in dynamic  # others have no functions that check the size of what they write to
    has = {
        "RELRO": segments(headers, "GNU_RELRO") != [],
        "BIND_NOW": re.search(r"\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW|\(BIND_NOW\)", dynamic) is not None,
        "stack protector": "__stack_chk_fail" in missed,
        "FORTIFY": not has_glibc or any(re.fullmatch(r"__(?!stack)\w+_chk", name) for name in missed),
        "no executable stack": stacks != [] and all("E" not in flags for flags in stacks),
        "nothing writable and executable": all(not {"W", "E"} <= flags for flags in segments(headers, "LOAD")),
        "no relocations in code": "TEXTREL" not in dynamic,
        "no folders of its own to search": re.search(r"\((RPATH|RUNPATH)\)", dynamic) is None,
        "any place in memory": re.search(r"^ +Type: +DYN ", headers, re.MULTILINE) is not None,
        "hidden symbols": not any(re.match("mxb_" if is_program else "(?!mxb_)|mxb__", name) for name in given),
    }
    return [name for name, is_there in has.items() if not is_there]
