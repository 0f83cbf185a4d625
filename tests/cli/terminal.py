"""A terminal for the program to write to."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios


def on_terminal(program, words, cwd, columns=100, stdout=None, **environment):
    """Runs with standard error on a terminal of so many columns; returns what appeared there and the exit code."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    settings = {**os.environ, "TERM": "xterm", **environment}
    process = subprocess.Popen(
        [program, *words], cwd=cwd, stdin=subprocess.DEVNULL, stdout=stdout, stderr=follower, env=settings
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the program has closed its end
            break
        if not piece:
            break
        seen += piece
    os.close(leader)
    return seen.decode().replace("\r\n", "\n"), process.wait(60)


def screen(seen):
    """The lines that stand there in the end, after all that moved the cursor and cleared."""
    lines, row, column = [""], 0, 0
    for text, up, clear in re.findall(r"([^\x1b])|\x1b\[(\d+)A|\x1b\[([JK])", seen):
        if up:
            row -= int(up)
            assert row >= 0, "the cursor left the screen"
        elif clear:
            lines[row] = lines[row][:column]
            lines = lines if clear == "K" else lines[: row + 1]
        elif text == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif text == "\r":
            column = 0
        else:
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + 1 :]
            column += 1
    return lines
