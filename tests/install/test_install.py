"""An installed tree, moved to another place, serves a program that knows only the public header."""

import os
import shutil
import subprocess

import pytest

from compilers import find_compilers

PROJECT = """cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES C)
find_package(mixboost {version} REQUIRED)
add_executable(shared fit_and_predict.c)
target_link_libraries(shared PRIVATE mixboost::mixboost)
add_executable(static fit_and_predict.c)
target_link_libraries(static PRIVATE mixboost::mixboost_static)
add_executable(predict_shared predict_only.c)
target_link_libraries(predict_shared PRIVATE mixboost::mixboost_predict)
add_executable(predict_static predict_only.c)
target_link_libraries(predict_static PRIVATE mixboost::mixboost_predict_static)
"""

SUBPROJECT = """cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES C)
add_subdirectory({root} mixboost)
add_executable(user fit_and_predict.c)
target_link_libraries(user PRIVATE mixboost::mixboost_static)
"""


def run(*command, cwd=None, env=None):
    result = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def prefix(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", build, "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


@pytest.fixture
def project(root, tmp_path):
    for example in ("fit_and_predict.c", "predict_only.c"):
        shutil.copy(root / "examples" / example, tmp_path)
    return tmp_path


def library_folder(prefix):
    return next(prefix.rglob("libmixboost.a")).parent


def run_example(program, prefix):
    env = dict(os.environ, LD_LIBRARY_PATH=str(library_folder(prefix)))
    text = run(program, cwd=program.parent, env=env)
    assert "mean squared error on 1000 new rows" in text
    return text


def run_predict_only(program, prefix):
    """The example on the library that only predicts, with a model that the installed program makes."""
    folder = program.parent
    (folder / "rows.csv").write_text("x,town,y\n" + "".join(f"{i},{'ab'[i % 2]},{i % 7}\n" for i in range(50)))
    options = ["--label", "y", "--model", "m.mxb", "--num_round", "9"]
    run(prefix / "bin" / "mixboost", "train", "rows.csv", *options, cwd=folder)
    told = run(prefix / "bin" / "mixboost", "predict", "m.mxb", "rows.csv", cwd=folder).splitlines()[1:3]
    env = dict(os.environ, LD_LIBRARY_PATH=str(library_folder(prefix)))
    text = run(program, "m.mxb", "0,a", "1,b", cwd=folder, env=env)
    assert [float(line) for line in text.splitlines()] == [float(line) for line in told]
    return text


def pc_variables(prefix, library="mixboost"):
    """The .pc file's fields, for machines without pkg-config."""
    path = next(prefix.rglob(f"{library}.pc"))
    values = {"pcfiledir": str(path.parent)}
    for line in path.read_text().splitlines():
        separator = "=" if "=" in line.split(":")[0] else ":"
        name, _, value = line.partition(separator)
        for known, text in values.items():
            value = value.replace("${" + known + "}", text)
        values[name.strip()] = value.strip()
    return values


def pkg_config(prefix, *options, library="mixboost"):
    if shutil.which("pkg-config"):
        env = dict(os.environ, PKG_CONFIG_PATH=str(library_folder(prefix) / "pkgconfig"))
        return run("pkg-config", *options, library, env=env).split()
    values = pc_variables(prefix, library)
    flags = values["Cflags"] if "--cflags" in options else values["Libs"]
    return (flags + (" " + values["Libs.private"] if "--static" in options else "")).split()


def test_the_installed_files(prefix):
    files = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}
    names = {name.rsplit("/", 1)[-1] for name in files}
    assert "bin/mixboost" in files
    assert {"libmixboost.so", "libmixboost.a", "mixboost.pc", "mixboostConfig.cmake"} <= names
    assert {"libmixboost-predict.so", "libmixboost-predict.a", "mixboost-predict.pc"} <= names
    headers = {name for name in files if name.startswith("include/")}
    assert headers == {"include/mixboost/mixboost.h", "include/mixboost/tune.h"}


def test_the_installed_program_runs(prefix):
    assert "train" in run(prefix / "bin" / "mixboost", "--help")


def test_find_package(project, prefix):
    version = pc_variables(prefix)["Version"]
    (project / "CMakeLists.txt").write_text(PROJECT.format(version=version))
    run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", project / "build")
    shared, static = (run_example(project / "build" / kind, prefix) for kind in ("shared", "static"))
    assert shared == static
    kinds = ("predict_shared", "predict_static")
    shared, static = (run_predict_only(project / "build" / kind, prefix) for kind in kinds)
    assert shared == static


@pytest.mark.parametrize("compiler", find_compilers())
def test_pkg_config_predict(project, prefix, compiler):
    flags = [pkg_config(prefix, option, library="mixboost-predict") for option in ("--cflags", "--libs")]
    run(compiler, *flags[0], "predict_only.c", *flags[1], "-o", "predict", cwd=project)
    run_predict_only(project / "predict", prefix)
    if shutil.which("ldd"):
        env = dict(os.environ, LD_LIBRARY_PATH=str(library_folder(prefix)))
        assert "libmixboost.so" not in run("ldd", project / "predict", env=env)


@pytest.mark.parametrize("compiler", find_compilers())
def test_pkg_config_shared(project, prefix, compiler):
    flags = [pkg_config(prefix, "--cflags"), pkg_config(prefix, "--libs")]
    run(compiler, *flags[0], "fit_and_predict.c", *flags[1], "-o", "shared", cwd=project)
    run_example(project / "shared", prefix)


@pytest.mark.parametrize("compiler", find_compilers())
def test_pkg_config_static(project, prefix, compiler):
    flags = [pkg_config(prefix, "--cflags"), pkg_config(prefix, "--static", "--libs")]
    archive = str(library_folder(prefix) / "libmixboost.a")
    libraries = [archive if flag == "-lmixboost" else flag for flag in flags[1]]
    run(compiler, *flags[0], "fit_and_predict.c", *libraries, "-o", "static", cwd=project)
    run_example(project / "static", prefix)
    if shutil.which("ldd"):
        assert "libmixboost" not in run("ldd", project / "static")


def test_as_a_subproject_only_the_library_is_built(root, project, prefix):
    (project / "CMakeLists.txt").write_text(SUBPROJECT.format(root=root))
    run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", project / "build")
    made = {path.name for path in (project / "build").rglob("*") if path.is_file()}
    assert "libmixboost.a" in made and "mixboost" not in made
    assert [name for name in made if name.startswith(("test_", "fuzz_", "identity"))] == []
    run_example(project / "build" / "user", prefix)
