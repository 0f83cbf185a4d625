"""The declarations of the library's functions against the headers that they repeat."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mixboost import _native

FOLDER = Path(__file__).resolve().parents[2] / "include" / "mixboost"
HEADERS = [FOLDER / "mixboost.h", FOLDER / "tune.h"]

CALLBACKS = {
    "mxb_progress_fn": _native.ProgressFunction,
    "mxb_tune_progress_fn": _native.TuneProgressFunction,
    "mxb_loss_value_fn": _native.LossValueFunction,
    "mxb_loss_derivatives_fn": _native.LossDerivativesFunction,
    "mxb_loss_start_fn": _native.LossStartFunction,
    "mxb_loss_metric_fn": _native.LossMetricFunction,
    "mxb_loss_link_fn": _native.LossLinkFunction,
    "mxb_learner_fit_fn": _native.LearnerFitFunction,
    "mxb_learner_predict_fn": _native.LearnerPredictFunction,
    "mxb_learner_free_fn": _native.LearnerFreeFunction,
    "mxb_learner_write_fn": _native.LearnerWriteFunction,
    "mxb_learner_read_fn": _native.LearnerReadFunction,
}

STRUCTURES = {
    "mxb_error": _native.Error,
    "mxb_training_memory": _native.TrainingMemoryStructure,
    "mxb_trial": _native.TrialStructure,
    "mxb_trial_result": _native.TrialResultStructure,
}

PLAIN_TYPES = {
    "void": None,
    "int": ctypes.c_int,
    "size_t": ctypes.c_size_t,
    "ptrdiff_t": ctypes.c_ssize_t,
    "uint64_t": ctypes.c_uint64,
    "double": ctypes.c_double,
    "char *": ctypes.c_char_p,
    "char **": ctypes.POINTER(ctypes.c_void_p),  # bytes to be freed, so not a c_char_p
    "char *const *": ctypes.POINTER(ctypes.c_char_p),
    "void *": ctypes.c_void_p,
    "void **": ctypes.POINTER(ctypes.c_void_p),
    "double *": ctypes.POINTER(ctypes.c_double),
    "size_t *": ctypes.POINTER(ctypes.c_size_t),
    "uint8_t *": ctypes.POINTER(ctypes.c_uint8),
    "uint64_t *": ctypes.POINTER(ctypes.c_uint64),
    **{f"{name} *": ctypes.POINTER(structure) for name, structure in STRUCTURES.items()},
    **CALLBACKS,
}

# A function that the package calls with bytes of Python, which a pointer to double does not take.
OTHER_TYPES = {("mxb_model_predict_rows", 1): ctypes.c_void_p}


def header_text() -> str:
    return "".join(path.read_text() for path in HEADERS)


class Header:
    """The declarations of headers of this project: no parser of C, but strict about what it does not know."""

    def __init__(self, text: str) -> None:
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
        text = re.sub(r"^\s*#.*$", " ", text, flags=re.MULTILINE)
        self._text = re.sub(r"\s+", " ", text)
        self.handles = set(re.findall(r"typedef struct (\w+) \1;", self._text))
        self.enums = {
            name: {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", body)}
            for name, body in re.findall(r"typedef enum (\w+) \{([^}]*)\} \1;", self._text)
        }

    def type(self, words: str) -> Any:
        """The ctypes type of `const double *scores` or `double *`."""
        match = re.fullmatch(r"(?:const )?(\w+) ?((?:\*|const )*) ?\w*", words.strip())
        assert match, f"a declaration that this test does not understand: {words}"
        base, stars = match[1], match[2].strip()
        if base in self.enums:
            return ctypes.c_int
        if base in self.handles:
            return {"*": ctypes.c_void_p, "**": ctypes.POINTER(ctypes.c_void_p)}[stars]
        return PLAIN_TYPES[f"{base} {stars}".strip()]

    def signature(self, result: str, arguments: str) -> list[Any]:
        parts = [] if arguments == "void" else arguments.split(",")
        return [self.type(result), *map(self.type, parts)]

    def functions(self) -> dict[str, list[Any]]:
        found = re.findall(r"MXB_API (?:MXB_NODISCARD )?([\w *]+?)(\w+)\(([^()]*)\);", self._text)
        assert len(found) == self._text.count("MXB_API ")
        signatures = {name: self.signature(result, arguments) for result, name, arguments in found}
        for (name, index), kind in OTHER_TYPES.items():
            signatures[name][1 + index] = kind
        return signatures

    def structures(self) -> dict[str, list[tuple[str, Any]]]:
        """The fields of each structure that is not opaque."""
        bodies = re.findall(r"typedef struct (\w+) \{([^}]*)\} \1;", self._text)
        return {name: [self.field(each) for each in body.split(";") if each.strip()] for name, body in bodies}

    def field(self, words: str) -> tuple[str, Any]:
        match = re.fullmatch(r"(\w+) (\w+)(?:\[(\d+)\])?", words.strip())
        assert match, f"a field that this test does not understand: {words}"
        kind = ctypes.c_char * int(match[3]) if match[3] else self.type(match[1])
        return match[2], kind

    def callbacks(self) -> dict[str, list[Any]]:
        found = re.findall(r"typedef ([\w *]+?)\(\*(\w+)\)\(([^()]*)\);", self._text)
        return {name: self.signature(result, arguments) for result, name, arguments in found}


def differences(declared: Mapping[str, list[Any]], header: Mapping[str, list[Any]]) -> list[str]:
    """The names that only one side has, or that the two sides declare differently."""
    names = declared.keys() | header.keys()
    return sorted(name for name in names if declared.get(name) != header.get(name))


def declared_functions() -> dict[str, list[Any]]:
    """The declarations as ctypes has them, so of what is really called."""
    functions = {name: getattr(_native._library, name) for name in _native.SIGNATURES}
    return {name: [function.restype, *function.argtypes] for name, function in functions.items()}


def declared_callbacks() -> dict[str, list[Any]]:
    return {name: [kind._restype_, *kind._argtypes_] for name, kind in CALLBACKS.items()}  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def header() -> Header:
    return Header(header_text())


def test_functions_are_declared_as_in_the_header(header: Header) -> None:
    assert len(header.functions()) > 140
    assert differences(declared_functions(), header.functions()) == []


def test_callbacks_are_declared_as_in_the_header(header: Header) -> None:
    assert differences(declared_callbacks(), header.callbacks()) == []


def test_every_exported_function_is_declared() -> None:
    library = Path(_native.__file__).with_name("libmixboost.so")
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True)
    exported = {line.split()[2] for line in listed.stdout.splitlines()}
    assert {name for name in exported if name.startswith("mxb")} == set(_native.SIGNATURES)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("mxb_dataset_add_matrix", "size_t n_columns, ptrdiff_t row_stride", "ptrdiff_t row_stride"),
        ("mxb_params_add_learner", "double probability, mxb_error", "int probability, mxb_error"),
        ("mxb_model_n_rounds", "(const mxb_model *model)", "(const mxb_model **model)"),
        ("mxb_model_label", "double mxb_model_label(", "int mxb_model_label("),
        ("mxb_bytes_free", "(void *bytes);", "(void **bytes);"),
        ("mxb_version", "MXB_API const char *mxb_version(void);", ""),
        ("mxb_loss_link_fn", "double score)", "int score)"),
        ("mxb_progress_fn", "typedef int (*mxb_progress_fn)", "typedef double (*mxb_progress_fn)"),
        ("mxb_tuner_evaluate", "int n_threads", "size_t n_threads"),
        ("mxb_tune_progress_fn", "double seconds)", "size_t seconds)"),
    ],
)
def test_a_difference_is_noticed(name: str, before: str, after: str) -> None:
    text = header_text()
    start = text.index(name) - 40  # its result stands before its name
    doctored = Header(text[:start] + text[start:].replace(before, after, 1))
    functions = differences(declared_functions(), doctored.functions())
    assert functions + differences(declared_callbacks(), doctored.callbacks()) == [name]


def test_enum_values_are_those_of_the_header(header: Header) -> None:
    types = {f"MXB_{dtype.name.upper()}": code for dtype, code in _native._TYPES.items()}
    assert types == header.enums["mxb_type"]
    assert header.enums["mxb_output"] == {
        "MXB_PREDICT_VALUE": _native.VALUE,
        "MXB_PREDICT_PROBABILITY": _native.PROBABILITY,
        "MXB_PREDICT_RAW": _native.RAW,
    }
    assert header.enums["mxb_importance"] == {
        "MXB_IMPORTANCE_TREE": _native.TREE,
        "MXB_IMPORTANCE_FOURIER": _native.FOURIER,
        "MXB_IMPORTANCE_SYMMETRIC": _native.SYMMETRIC,
    }
    assert header.enums["mxb_status"] == {
        "MXB_OK": _native.OK,
        "MXB_ERROR_PARAM": _native.PARAM,
        "MXB_ERROR_DATA": _native.DATA,
        "MXB_ERROR_IO": _native.IO,
        "MXB_ERROR_FORMAT": _native.FORMAT,
        "MXB_ERROR_MEMORY": _native.MEMORY,
        "MXB_STOPPED": _native.STOPPED,
    }


def test_structures_are_those_of_the_header(header: Header) -> None:
    declared = {name: list(structure._fields_) for name, structure in STRUCTURES.items()}
    assert declared == header.structures()


def test_a_different_structure_is_noticed() -> None:
    text = header_text()
    for before, after in (("size_t fold;", "int fold;"), ("char message[128]", "char message[64]")):
        assert Header(text).structures() != Header(text.replace(before, after)).structures()


def test_numbers_of_every_type_are_read_where_they_lie() -> None:
    for dtype in _native._TYPES:
        values = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
        dataset = _native.Dataset(3)
        dataset.add_matrix(values)
        rows = _native.Rows(dataset._handle)
        assert [rows.read(column).tolist() for column in (0, 1)] == values.astype(float).T.tolist()
