"""The C library: its functions as the header declares them, and one thin class for each of its handles.

Nothing else in the package calls the library. A status other than MXB_OK becomes an exception with the library's
sentence; arrays are handed over where they lie, and whoever points into them keeps them alive. Every call but that for
a single row releases the interpreter lock.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_uint8, c_uint64, c_void_p
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

# ---- Declarations: a test compares them with the header ----------------------------------------------------------


class Error(ctypes.Structure):
    """The caller's room for a sentence."""

    _fields_ = (("message", ctypes.c_char * 1024),)


class TrainingMemoryStructure(ctypes.Structure):
    """mxb_training_memory."""

    _fields_ = (("prepared", c_size_t), ("preparing", c_size_t), ("training", c_size_t), ("model", c_size_t))


class TrialStructure(ctypes.Structure):
    """mxb_trial."""

    _fields_ = (("stage", c_size_t), ("config", c_size_t), ("fold", c_size_t))


class TrialResultStructure(ctypes.Structure):
    """mxb_trial_result."""

    _fields_ = (
        ("status", c_int),
        ("loss", c_double),
        ("n_rounds", c_size_t),
        ("seconds", c_double),
        ("message", ctypes.c_char * 128),
    )


Handle = c_void_p
Enum = c_int
DoublePointer = POINTER(c_double)
Texts = POINTER(c_char_p)
ErrorPointer = POINTER(Error)
TrialPointer = POINTER(TrialStructure)
TrialResultPointer = POINTER(TrialResultStructure)

ProgressFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_size_t, c_double, c_double, c_double)
TuneProgressFunction = ctypes.CFUNCTYPE(c_int, c_void_p, Handle, c_double)
LossValueFunction = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_size_t, DoublePointer, DoublePointer, DoublePointer, ErrorPointer
)
LossDerivativesFunction = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_size_t, DoublePointer, DoublePointer, DoublePointer, DoublePointer, ErrorPointer
)
LossStartFunction = LossValueFunction
LossMetricFunction = LossDerivativesFunction
LossLinkFunction = ctypes.CFUNCTYPE(c_double, c_void_p, c_double)
LearnerFitFunction = ctypes.CFUNCTYPE(c_int, c_void_p, Handle, POINTER(c_void_p), DoublePointer, ErrorPointer)
LearnerPredictFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, Handle, DoublePointer, ErrorPointer)
LearnerFreeFunction = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
LearnerWriteFunction = ctypes.CFUNCTYPE(c_size_t, c_void_p, c_void_p, c_void_p, c_size_t)
LearnerReadFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(c_void_p), ErrorPointer)

# Result and arguments. A function that gives a STATUS takes an ErrorPointer after those written here.
STATUS = "mxb_status"
SIGNATURES: dict[str, tuple[Any, ...]] = {
    "mxb_version": (c_char_p,),
    "mxb_numbers_format": (c_size_t, DoublePointer, c_size_t, c_int, c_char_p),
    "mxb_dataset_create": (STATUS, c_size_t, POINTER(Handle)),
    "mxb_dataset_add_column": (STATUS, Handle, c_char_p, c_void_p, c_ssize_t, Enum),
    "mxb_dataset_add_text_column": (STATUS, Handle, c_char_p, c_void_p, c_ssize_t, Enum, Texts, c_size_t),
    "mxb_dataset_set_validity": (STATUS, Handle, c_size_t, POINTER(c_uint8), c_size_t),
    "mxb_dataset_add_matrix": (STATUS, Handle, c_void_p, Enum, c_size_t, c_ssize_t, c_ssize_t),
    "mxb_dataset_set_label": (STATUS, Handle, c_void_p, c_ssize_t, Enum),
    "mxb_dataset_set_text_label": (STATUS, Handle, c_void_p, c_ssize_t, Enum, Texts, c_size_t),
    "mxb_dataset_set_weight": (STATUS, Handle, c_void_p, c_ssize_t, Enum),
    "mxb_dataset_select": (STATUS, Handle, POINTER(c_size_t), c_size_t, POINTER(Handle)),
    "mxb_dataset_split": (STATUS, Handle, c_double, c_int, c_uint64, POINTER(Handle), POINTER(Handle)),
    "mxb_dataset_n_rows": (c_size_t, Handle),
    "mxb_dataset_n_features": (c_size_t, Handle),
    "mxb_dataset_feature_name": (c_char_p, Handle, c_size_t),
    "mxb_dataset_feature_is_text": (c_int, Handle, c_size_t),
    "mxb_dataset_read": (STATUS, Handle, c_size_t, c_size_t, c_size_t, DoublePointer),
    "mxb_dataset_free": (None, Handle),
    "mxb_table_read_csv": (STATUS, c_char_p, Enum, Texts, c_size_t, c_int, POINTER(Handle)),
    "mxb_table_n_rows": (c_size_t, Handle),
    "mxb_table_n_columns": (c_size_t, Handle),
    "mxb_table_column_name": (c_char_p, Handle, c_size_t),
    "mxb_table_column_is_text": (c_int, Handle, c_size_t),
    "mxb_table_column_oddity": (c_char_p, Handle, c_size_t),
    "mxb_dataset_from_table": (STATUS, Handle, c_char_p, c_char_p, Texts, c_size_t, POINTER(Handle)),
    "mxb_table_free": (None, Handle),
    "mxb_params_create": (STATUS, POINTER(Handle)),
    "mxb_params_set": (STATUS, Handle, c_char_p, c_char_p),
    "mxb_params_get": (c_char_p, Handle, c_char_p),
    "mxb_params_free": (None, Handle),
    "mxb_option_count": (c_size_t,),
    "mxb_option_name": (c_char_p, c_size_t),
    "mxb_option_type": (c_char_p, c_size_t),
    "mxb_option_default": (c_char_p, c_size_t),
    "mxb_option_range": (c_char_p, c_size_t),
    "mxb_option_help": (c_char_p, c_size_t),
    "mxb_loss_create": (STATUS, c_char_p, LossValueFunction, LossDerivativesFunction, c_void_p, POINTER(Handle)),
    "mxb_loss_set_start": (None, Handle, LossStartFunction),
    "mxb_loss_set_metric": (None, Handle, c_char_p, LossMetricFunction),
    "mxb_loss_set_link": (None, Handle, LossLinkFunction),
    "mxb_loss_free": (None, Handle),
    "mxb_params_set_loss": (STATUS, Handle, Handle),
    "mxb_round_data": (Handle, Handle),
    "mxb_round_gradients": (DoublePointer, Handle),
    "mxb_round_hessians": (DoublePointer, Handle),
    "mxb_round_number": (c_size_t, Handle),
    "mxb_round_seed": (c_uint64, Handle),
    "mxb_round_targets": (None, Handle, DoublePointer, DoublePointer),
    "mxb_learner_create": (
        STATUS,
        c_char_p,
        LearnerFitFunction,
        LearnerPredictFunction,
        LearnerFreeFunction,
        c_void_p,
        POINTER(Handle),
    ),
    "mxb_learner_set_files": (None, Handle, LearnerWriteFunction, LearnerReadFunction),
    "mxb_learner_free": (None, Handle),
    "mxb_params_add_learner": (STATUS, Handle, Handle, c_double),
    "mxb_train": (STATUS, Handle, Handle, Handle, ProgressFunction, c_void_p, POINTER(Handle)),
    "mxb_prepared_create": (STATUS, Handle, Handle, POINTER(Handle)),
    "mxb_prepared_free": (None, Handle),
    "mxb_choose_rounds": (STATUS, Handle, Handle, Handle, ProgressFunction, c_void_p),
    "mxb_trainer_create": (STATUS, Handle, Handle, Handle, POINTER(Handle)),
    "mxb_trainer_create_from": (STATUS, Handle, Handle, Handle, Handle, POINTER(Handle)),
    "mxb_trainer_run": (STATUS, Handle, c_size_t, ProgressFunction, c_void_p),
    "mxb_trainer_n_rounds": (c_size_t, Handle),
    "mxb_trainer_is_done": (c_int, Handle),
    "mxb_trainer_curve": (c_double, Handle, c_size_t, c_int),
    "mxb_trainer_model": (STATUS, Handle, POINTER(Handle)),
    "mxb_trainer_free": (None, Handle),
    "mxb_cross_validate": (
        STATUS,
        Handle,
        Handle,
        c_size_t,
        c_size_t,
        c_int,
        c_uint64,
        ProgressFunction,
        c_void_p,
        DoublePointer,
    ),
    "mxb_model_save": (STATUS, Handle, c_char_p),
    "mxb_model_load": (STATUS, c_char_p, POINTER(Handle)),
    "mxb_model_load_with": (STATUS, c_char_p, Handle, POINTER(Handle)),
    "mxb_model_to_bytes": (STATUS, Handle, POINTER(c_void_p), POINTER(c_size_t)),
    "mxb_model_from_bytes": (STATUS, c_void_p, c_size_t, POINTER(Handle)),
    "mxb_model_from_bytes_with": (STATUS, c_void_p, c_size_t, Handle, POINTER(Handle)),
    "mxb_model_to_json": (STATUS, Handle, POINTER(c_void_p), POINTER(c_size_t)),
    "mxb_bytes_free": (None, c_void_p),
    "mxb_model_predict": (STATUS, Handle, Handle, Enum, c_int, DoublePointer),
    "mxb_model_predict_rows": (STATUS, Handle, c_void_p, c_size_t, c_size_t, Enum, DoublePointer),  # rows may be bytes
    "mxb_model_evaluate": (STATUS, Handle, Handle, c_int, DoublePointer),
    "mxb_stages_create": (STATUS, Handle, Handle, c_int, POINTER(Handle)),
    "mxb_stages_next": (STATUS, Handle, Enum, DoublePointer),
    "mxb_stages_free": (None, Handle),
    "mxb_model_importance": (STATUS, Handle, Enum, DoublePointer),
    "mxb_model_n_features": (c_size_t, Handle),
    "mxb_model_feature_name": (c_char_p, Handle, c_size_t),
    "mxb_model_feature_is_text": (c_int, Handle, c_size_t),
    "mxb_model_feature_n_texts": (c_size_t, Handle, c_size_t),
    "mxb_model_feature_text": (c_char_p, Handle, c_size_t, c_size_t),
    "mxb_model_label_text": (c_char_p, Handle, c_size_t),
    "mxb_model_label": (c_double, Handle, c_size_t),
    "mxb_model_feature_splits": (c_size_t, Handle, c_size_t),
    "mxb_model_n_rounds": (c_size_t, Handle),
    "mxb_model_n_members": (c_size_t, Handle),
    "mxb_model_round_learner": (c_char_p, Handle, c_size_t, c_size_t),
    "mxb_model_round_depth": (c_size_t, Handle, c_size_t, c_size_t),
    "mxb_model_round_decrease": (c_double, Handle, c_size_t, c_size_t),
    "mxb_model_option": (c_char_p, Handle, c_char_p),
    "mxb_model_metric": (c_char_p, Handle),
    "mxb_model_n_curve": (c_size_t, Handle),
    "mxb_model_curve": (c_double, Handle, c_size_t, c_int),
    "mxb_model_stopped_early": (c_int, Handle),
    "mxb_model_n_repairs": (c_size_t, Handle),
    "mxb_model_free": (None, Handle),
    "mxb_space_built_in": (c_char_p, c_char_p),
    "mxb_space_create": (STATUS, c_char_p, POINTER(Handle)),
    "mxb_space_fix": (STATUS, Handle, c_char_p, c_char_p),
    "mxb_space_n_options": (c_size_t, Handle),
    "mxb_space_option": (c_char_p, Handle, c_size_t),
    "mxb_space_scale": (c_char_p, Handle, c_size_t),
    "mxb_space_draw": (STATUS, Handle, c_uint64, c_size_t, Handle),
    "mxb_space_free": (None, Handle),
    "mxb_dataset_fold": (
        STATUS,
        Handle,
        c_size_t,
        c_int,
        c_uint64,
        c_size_t,
        c_size_t,
        POINTER(Handle),
        POINTER(Handle),
    ),
    "mxb_dataset_digest": (STATUS, Handle, POINTER(c_uint64)),
    "mxb_option_is_kept": (c_int, c_size_t),
    "mxb_params_copy": (STATUS, Handle, POINTER(Handle)),
    "mxb_params_check": (STATUS, Handle),
    "mxb_params_max_rounds": (c_size_t, Handle),
    "mxb_params_own_digest": (c_uint64, Handle),
    "mxb_training_check": (STATUS, Handle, Handle, Handle),
    "mxb_judging_check": (STATUS, Handle, Handle, Handle, POINTER(c_size_t)),
    "mxb_params_memory": (STATUS, Handle, Handle, Handle, c_size_t, POINTER(TrainingMemoryStructure)),
    "mxb_prepared_create_part": (STATUS, Handle, Handle, Handle, POINTER(Handle)),
    "mxb_tuner_create": (STATUS, Handle, Handle, Handle, Handle, POINTER(Handle)),
    "mxb_tuner_free": (None, Handle),
    "mxb_tuner_set": (STATUS, Handle, c_char_p, c_char_p),
    "mxb_tuner_get": (c_char_p, Handle, c_char_p),
    "mxb_setting_count": (c_size_t,),
    "mxb_setting_name": (c_char_p, c_size_t),
    "mxb_setting_default": (c_char_p, c_size_t),
    "mxb_setting_range": (c_char_p, c_size_t),
    "mxb_setting_help": (c_char_p, c_size_t),
    "mxb_tuner_add_fold": (STATUS, Handle, POINTER(c_size_t), c_size_t, POINTER(c_size_t), c_size_t),
    "mxb_tuner_set_journal": (STATUS, Handle, c_char_p, c_int),
    "mxb_tuner_check": (STATUS, Handle),
    "mxb_tuner_start": (STATUS, Handle),
    "mxb_tuner_warning": (c_char_p, Handle),
    "mxb_tuner_run": (STATUS, Handle, TuneProgressFunction, c_void_p),
    "mxb_tuner_refit": (STATUS, Handle, ProgressFunction, c_void_p, POINTER(Handle)),
    "mxb_tune": (STATUS, Handle, TuneProgressFunction, c_void_p, POINTER(Handle)),
    "mxb_tuner_next": (c_int, Handle, TrialPointer),
    "mxb_tuner_take_back": (None, Handle, TrialPointer),
    "mxb_tuner_evaluate": (
        STATUS,
        Handle,
        TrialPointer,
        c_int,
        ProgressFunction,
        c_void_p,
        TrialResultPointer,
        POINTER(Handle),
    ),
    "mxb_tuner_tell": (STATUS, Handle, TrialPointer, TrialResultPointer),
    "mxb_tuner_n_stages": (c_size_t, Handle),
    "mxb_tuner_stage": (c_size_t, Handle),
    "mxb_tuner_stage_size": (c_size_t, Handle, c_size_t),
    "mxb_tuner_stage_resource": (c_double, Handle, c_size_t),
    "mxb_tuner_stage_workers": (c_size_t, Handle, c_size_t),
    "mxb_tuner_stage_threads": (c_size_t, Handle, c_size_t),
    "mxb_tuner_n_folds": (c_size_t, Handle),
    "mxb_tuner_n_done": (c_size_t, Handle, c_size_t),
    "mxb_tuner_memory": (c_size_t, Handle),
    "mxb_tuner_stage_config": (c_size_t, Handle, c_size_t, c_size_t),
    "mxb_tuner_loss": (c_double, Handle, c_size_t, c_size_t),
    "mxb_tuner_result": (c_int, Handle, TrialPointer, TrialResultPointer),
    "mxb_tuner_best": (c_size_t, Handle),
    "mxb_tuner_ranking": (STATUS, Handle, POINTER(c_size_t)),
    "mxb_tuner_params": (STATUS, Handle, c_size_t, POINTER(Handle)),
    "mxb_tuner_importance": (STATUS, Handle, DoublePointer),
    "mxb_tuner_space": (Handle, Handle),
}


OK, PARAM, DATA, IO, FORMAT, MEMORY, STOPPED = range(7)  # mxb_status
_EXCEPTIONS = {PARAM: ValueError, DATA: ValueError, IO: OSError, FORMAT: ValueError, MEMORY: MemoryError}


class _Callback(threading.local):
    """What became of the callbacks on this thread."""

    exception: BaseException | None = None  # raised by the last one
    gave_nan = False  # the last one did


# An interrupt may keep a callback from running at all. ctypes prints it and returns any number; if that is MXB_OK, the
# library misses the values. Callbacks that do run say why they fail.
_NOT_RUN = re.compile(r'the learner ".*" (failed in (predicting )?round \d+$|gave nan )')


def _exception(status: int, error: Error) -> BaseException:
    """What a status other than MXB_OK is raised as: a callback's own exception where there is one."""
    raised, gave_nan = _callback.exception, _callback.gave_nan
    _callback.exception, _callback.gave_nan = None, False
    if raised is not None:
        return raised
    message = _text(error.message)
    if status not in _EXCEPTIONS or (_NOT_RUN.match(message) and not gave_nan):
        return KeyboardInterrupt(message)
    return _EXCEPTIONS[status](message)


def _asked(is_to_go_on: Callable[..., bool], *state: Any) -> int:
    """The answer of a callback; one that raises stops the call it is made from, which raises the same."""
    try:
        return bool(is_to_go_on(*state))
    except BaseException as raised:
        _callback.exception = raised
        return False


def _round_asker(is_to_go_on: Callable[[], bool]) -> Any:
    return ProgressFunction(lambda *_round: _asked(is_to_go_on))


def _fallible(function: Any) -> Callable[..., None]:
    def call(*arguments: Any) -> None:
        error = Error()
        status = function(*arguments, error)
        if status != OK:
            raise _exception(status, error)

    return call


def _load() -> Any:
    path = os.path.join(os.path.dirname(__file__), "libmixboost.so")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"mixboost cannot load its library, which a wheel brings: {error}", path=path) from error
    for name, (result, *arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype = c_int if result is STATUS else result
        function.argtypes = [*arguments, ErrorPointer] if result is STATUS else arguments
        if result is STATUS:
            setattr(library, name.removeprefix("mxb_"), _fallible(function))
        else:
            setattr(library, name.removeprefix("mxb_"), function)
    return library


_callback = _Callback()
_library = _load()


def _text(value: bytes | None) -> str:
    """Texts are UTF-8; other bytes, which a CSV file may have put into a model, come back as they were."""
    return "" if value is None else value.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    if "\0" in text:  # where the library's texts end
        raise ValueError(f"{text!r} has a character NUL, which no text may have")
    return text.encode("utf-8", "surrogateescape")


def _path(path: str | os.PathLike[str]) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"{path!r} has a character NUL, which no path may have")
    return encoded


def _names(name_of: Callable[..., bytes | None], handle: Handle, n_features: int) -> list[str] | None:
    """The names of features, of which all or none have one."""
    names = [name_of(handle, i) for i in range(n_features)]
    return None if names[0] is None else [_text(name) for name in names]


def _text_array(texts: Sequence[str]) -> Any:
    return (c_char_p * len(texts))(*map(_bytes, texts))


def _doubles(array: NDArray[np.float64]) -> Any:
    return array.ctypes.data_as(DoublePointer)


def _array(pointer: Any, n: int) -> NDArray[np.float64]:
    """The doubles at an address of the library's, not copied."""
    return np.ctypeslib.as_array(pointer, shape=(n,))


class _Handle:
    """Owns a handle of the library and whatever it points into; garbage in circles is freed in any order."""

    _free: Any

    def __init__(self) -> None:
        self._handle = Handle()
        self._kept: list[object] = []

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            self._free(handle)


# ---- Options -----------------------------------------------------------------------------------------------------


class Option(NamedTuple):
    """A row of the library's option table."""

    name: str
    type: str
    default: str
    range: str
    help: str


def version() -> str:
    return _text(_library.mxb_version())


@cache
def options() -> tuple[Option, ...]:
    """The library's option table."""
    columns = [getattr(_library, f"mxb_option_{column}") for column in Option._fields]
    return tuple(Option(*(_text(column(i)) for column in columns)) for i in range(_library.mxb_option_count()))


LIST_TYPE = "list or auto"  # of an option


def option_text(name: str, value: object) -> str:
    """A value of Python as the text of an option."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, np.ndarray)) and _option_types().get(name) == LIST_TYPE:
        return ",".join(map(str, value))
    return str(value)


@cache
def _option_types() -> dict[str, str]:
    return {option.name: option.type for option in options()}


class Params(_Handle):
    """A value for every option, and the caller's learners."""

    _free = _library.mxb_params_free

    def __init__(self, values: Mapping[str, object] | None = None) -> None:
        super().__init__()
        _library.params_create(ctypes.byref(self._handle))
        for name, value in (values or {}).items():
            self.set(name, option_text(name, value))

    def get(self, name: str) -> str:
        return _text(_library.mxb_params_get(self._handle, _bytes(name)))

    def set(self, name: str, text: str) -> None:
        _library.params_set(self._handle, _bytes(name), _bytes(text))

    @classmethod
    def _of(cls, handle: Handle) -> Params:
        params = cls.__new__(cls)
        params._handle, params._kept = handle, []
        return params

    def add_learner(self, learner: Learner, probability: float) -> None:
        self._kept.append(learner)
        _library.params_add_learner(self._handle, learner._handle, probability)


# ---- Data --------------------------------------------------------------------------------------------------------

_TYPES = {
    np.dtype(name): code
    for code, name in enumerate(
        "float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool".split(), start=1
    )
}


def is_readable(dtype: np.dtype[Any]) -> bool:
    """Whether the library reads arrays of this type where they lie."""
    return dtype in _TYPES


class Dataset(_Handle):
    """Rows of features with a label and a weight; a view of arrays, which it keeps alive."""

    _free = _library.mxb_dataset_free

    def __init__(self, n_rows: int) -> None:
        super().__init__()
        _library.dataset_create(n_rows, ctypes.byref(self._handle))

    @property
    def n_rows(self) -> int:
        return int(_library.mxb_dataset_n_rows(self._handle))

    @property
    def n_features(self) -> int:
        return int(_library.mxb_dataset_n_features(self._handle))

    def feature_names(self) -> list[str] | None:
        return _names(_library.mxb_dataset_feature_name, self._handle, self.n_features)

    def is_text(self, feature: int) -> bool:
        return bool(_library.mxb_dataset_feature_is_text(self._handle, feature))

    def _vector(self, array: NDArray[Any]) -> tuple[int, int, int]:
        """Address, stride and type of a one-dimensional array, which is kept."""
        if array.shape != (self.n_rows,):
            raise ValueError(f"an array of shape {array.shape} does not fit {self.n_rows} rows")
        self._kept.append(array)
        return array.ctypes.data, array.strides[0], _TYPES[array.dtype]

    def add_matrix(self, array: NDArray[Any]) -> None:
        """Adds unnamed features: the columns of a two-dimensional array in any memory order."""
        if array.shape[0] != self.n_rows:
            raise ValueError(f"an array of shape {array.shape} does not fit {self.n_rows} rows")
        self._kept.append(array)
        by_row, by_column = array.strides
        _library.dataset_add_matrix(
            self._handle, array.ctypes.data, _TYPES[array.dtype], array.shape[1], by_row, by_column
        )

    def add_column(
        self, name: str | None, array: NDArray[Any], validity: NDArray[np.uint8] | None = None, bit_offset: int = 0
    ) -> None:
        """Adds a feature; `validity`, if any, is a bitmap as Arrow has it, 0 where a value is missing."""
        _library.dataset_add_column(self._handle, None if name is None else _bytes(name), *self._vector(array))
        self._add_validity(validity, bit_offset)

    def add_text_column(
        self,
        name: str | None,
        codes: NDArray[Any],
        texts: Sequence[str],
        validity: NDArray[np.uint8] | None = None,
        bit_offset: int = 0,
    ) -> None:
        """Adds a feature of text: row i has texts[codes[i]], and is missing where there is no such text."""
        array = _text_array(texts)
        self._kept.append(array)
        encoded = None if name is None else _bytes(name)
        _library.dataset_add_text_column(self._handle, encoded, *self._vector(codes), array, len(texts))
        self._add_validity(validity, bit_offset)

    def _add_validity(self, validity: NDArray[np.uint8] | None, bit_offset: int) -> None:
        if validity is not None:
            self._kept.append(validity)
            pointer = validity.ctypes.data_as(POINTER(c_uint8))
            _library.dataset_set_validity(self._handle, self.n_features - 1, pointer, bit_offset)

    def set_label(self, array: NDArray[Any]) -> None:
        _library.dataset_set_label(self._handle, *self._vector(array))

    def set_text_label(self, codes: NDArray[Any], texts: Sequence[str]) -> None:
        array = _text_array(texts)
        self._kept.append(array)
        _library.dataset_set_text_label(self._handle, *self._vector(codes), array, len(texts))

    def set_weight(self, array: NDArray[Any]) -> None:
        _library.dataset_set_weight(self._handle, *self._vector(array))

    def _view(self, handle: Handle) -> Dataset:
        """A dataset of some of these rows; it keeps this one alive."""
        view = Dataset.__new__(Dataset)
        view._handle, view._kept = handle, [self]
        return view

    def split(self, fraction: float, stratify: bool, seed: int) -> tuple[Dataset, Dataset]:
        """Two views of the rows, drawn at random, `fraction` of them in the second."""
        first, second = Handle(), Handle()
        _library.dataset_split(self._handle, fraction, stratify, seed, ctypes.byref(first), ctypes.byref(second))
        return self._view(first), self._view(second)

    def fold(self, n_folds: int, stratify: bool, seed: int, fold: int) -> tuple[Dataset, Dataset]:
        """Two views of the rows: those that a fold trains on, and those that it measures on."""
        train, held_out = Handle(), Handle()
        both = ctypes.byref(train), ctypes.byref(held_out)
        _library.dataset_fold(self._handle, n_folds, stratify, seed, 0, fold, *both)
        return self._view(train), self._view(held_out)

    def read(self, column: int) -> NDArray[np.float64]:
        """A feature's values, NaN where missing."""
        return Rows(self._handle).read(column)


class Rows:
    """What the library shows a learner of rows: their values, for as long as the call lasts."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self.n_rows = int(_library.mxb_dataset_n_rows(handle))

    def read(self, column: int) -> NDArray[np.float64]:
        """A feature's values, NaN where missing."""
        values = np.empty(self.n_rows)
        _library.dataset_read(self._handle, column, 0, self.n_rows, _doubles(values))
        return values


# ---- Learners of one's own ---------------------------------------------------------------------------------------


class Round(Rows):
    """What a round offers a learner: the training rows and a weighted least-squares problem on them."""

    def __init__(self, handle: Handle) -> None:
        super().__init__(_library.mxb_round_data(handle))
        self.seed = int(_library.mxb_round_seed(handle))
        self.targets = np.empty(self.n_rows)
        self.weights = np.empty(self.n_rows)
        _library.mxb_round_targets(handle, _doubles(self.targets), _doubles(self.weights))


class LearnerFunctions(Protocol):
    """A learner class in Python. A term is a number from 1 on that the class understands."""

    def fit(self, round: Round) -> tuple[int, NDArray[np.float64]]:
        """The term and its value in every training row, before the learning rate."""

    def predict(self, term: int, rows: Rows) -> NDArray[np.float64]:
        """The term's value in every row."""

    def knows(self, term: int) -> bool:
        """Whether it is one."""


def _guarded(function: Callable[..., None]) -> Callable[..., int]:
    """A callback that keeps what it raises for the call that the library is in."""

    def call(*arguments: Any) -> int:
        try:
            function(*arguments)
        except BaseException as raised:
            _callback.exception = raised
            return PARAM
        return OK

    return call


def _give(given: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    values[:] = given
    _callback.gave_nan = bool(np.isnan(values).any())


class Learner(_Handle):
    """A learner class of the caller's. Files keep the number of a term; the caller keeps what it stands for."""

    _free = _library.mxb_learner_free

    def __init__(self, name: str, functions: LearnerFunctions) -> None:
        super().__init__()

        def fit(_context: int, round: Handle, term: Any, values: Any, _error: Any) -> None:
            seen = Round(round)
            term[0], given = functions.fit(seen)
            _give(given, _array(values, seen.n_rows))

        def predict(_context: int, term: int, data: Handle, values: Any, _error: Any) -> None:
            rows = Rows(data)
            _give(functions.predict(term, rows), _array(values, rows.n_rows))

        def write(_context: int, term: int, data: int | None, capacity: int) -> int:
            if data and capacity >= 8:
                ctypes.memmove(data, term.to_bytes(8, "little"), 8)
            return 8

        def read(_context: int, data: int, n_bytes: int, term: Any, _error: Any) -> None:
            if n_bytes != 8:
                raise ValueError(f"a round of the learner {name} has {n_bytes} bytes, not 8")
            number = int.from_bytes(ctypes.string_at(data, 8), "little")
            if not functions.knows(number):
                raise ValueError(f"a round of the learner {name} is its estimator {number}, which is not there")
            term[0] = number

        callbacks = [
            LearnerFitFunction(_guarded(fit)),
            LearnerPredictFunction(_guarded(predict)),
            LearnerWriteFunction(write),
            LearnerReadFunction(_guarded(read)),
        ]
        self._kept += callbacks
        keep_terms = LearnerFreeFunction(0)
        _library.learner_create(_bytes(name), *callbacks[:2], keep_terms, None, ctypes.byref(self._handle))
        _library.mxb_learner_set_files(self._handle, *callbacks[2:])


# ---- Training ----------------------------------------------------------------------------------------------------


class _Prepared(_Handle):
    _free = _library.mxb_prepared_free

    def __init__(self, train: Dataset, params: Params) -> None:
        super().__init__()
        self._kept += [train]
        _library.prepared_create(train._handle, params._handle, ctypes.byref(self._handle))


def choose_rounds(
    train: Dataset,
    valid: Dataset | None,
    params: Params,
    is_to_go_on: Callable[[int, float, float, float], bool] | None = None,
) -> None:
    """Makes num_round a number: what it is, or for "auto" what is best for rows kept aside.

    `is_to_go_on` is asked after every round of that search, with its number, the two losses and the seconds so far.
    """

    def ask(_context: int, *state: Any) -> int:
        return is_to_go_on is None or _asked(is_to_go_on, *state)

    handles = train._handle, valid._handle if valid is not None else None, params._handle
    _library.choose_rounds(*handles, ProgressFunction(ask), None)


class Trainer(_Handle):
    """A training that pauses between rounds."""

    _free = _library.mxb_trainer_free

    def __init__(self, train: Dataset, valid: Dataset | None, params: Params) -> None:
        super().__init__()
        prepared = _Prepared(train, params)
        self._params = params
        self._kept += [prepared, valid]
        handle = valid._handle if valid is not None else None
        _library.trainer_create(prepared._handle, handle, params._handle, ctypes.byref(self._handle))

    def run(self, until_round: int) -> None:
        _library.trainer_run(self._handle, until_round, ProgressFunction(0), None)

    @property
    def n_rounds(self) -> int:
        return int(_library.mxb_trainer_n_rounds(self._handle))

    @property
    def is_done(self) -> bool:
        return bool(_library.mxb_trainer_is_done(self._handle))

    def loss(self, round: int, valid: bool) -> float:
        """The metric on the training or validation rows after so many rounds; NaN where there is none."""
        return float(_library.mxb_trainer_curve(self._handle, round, valid))

    def model(self) -> Model:
        handle = Handle()
        _library.trainer_model(self._handle, ctypes.byref(handle))
        return Model(handle, self._params)


# ---- Model -------------------------------------------------------------------------------------------------------

VALUE, PROBABILITY, RAW = 0, 1, 2  # mxb_output
TREE, FOURIER, SYMMETRIC = 0, 1, 2  # mxb_importance
_OUTPUTS = tuple(map(Enum, (VALUE, PROBABILITY, RAW)))
_ONE = c_size_t(1)
_ROWS_AT_ONCE = 4096  # that are copied to doubles

# A row takes less time than to convert the arguments of its call. These have no argtypes, which would do so: whoever
# calls them makes each argument the ctypes object that the header asks for. A row also takes less time than other
# threads need to give the interpreter lock back, so the call for one keeps it.
_predict_rows = _library["mxb_model_predict_rows"]
_predict_row = ctypes.PyDLL(_library._name, handle=_library._handle)["mxb_model_predict_rows"]


class Model(_Handle):
    """A fitted ensemble; never changes. Keeps the params that bring its own learners."""

    _free = _library.mxb_model_free

    def __init__(self, handle: Handle, params: Params | None) -> None:
        self._handle, self._kept = handle, [params]
        self.n_features = int(_library.mxb_model_n_features(handle))
        self.n_rounds = int(_library.mxb_model_n_rounds(handle))
        self.n_members = int(_library.mxb_model_n_members(handle))
        self._n_values = c_size_t(self.n_features)
        self.has_text = any(map(self.is_text, range(self.n_features)))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        handle = Handle()
        _library.model_load(_path(path), ctypes.byref(handle))
        return cls(handle, None)

    @classmethod
    def from_bytes(cls, data: bytes, params: Params | None = None) -> Model:
        """`params` brings the learners of one's own."""
        if not isinstance(data, bytes):
            raise TypeError(f"a model is made of bytes, not of {type(data).__name__}")
        handle = Handle()
        if params is None:
            _library.model_from_bytes(data, len(data), ctypes.byref(handle))
        else:
            _library.model_from_bytes_with(data, len(data), params._handle, ctypes.byref(handle))
        return cls(handle, params)

    def save(self, path: str | os.PathLike[str]) -> None:
        _library.model_save(self._handle, _path(path))

    def to_bytes(self) -> bytes:
        data, n_bytes = c_void_p(), c_size_t()
        _library.model_to_bytes(self._handle, ctypes.byref(data), ctypes.byref(n_bytes))
        try:
            return ctypes.string_at(data, n_bytes.value)
        finally:
            _library.mxb_bytes_free(data)

    def predict(self, dataset: Dataset, output: int, n_threads: int) -> NDArray[np.float64]:
        out = np.empty(dataset.n_rows)
        _library.model_predict(self._handle, dataset._handle, output, n_threads, _doubles(out))
        return out

    def predict_row(self, values: bytes, output: int) -> float:
        """The prediction of one row, given as its n_features doubles."""
        out = c_double()
        if _predict_row(self._handle, values, _ONE, self._n_values, _OUTPUTS[output], ctypes.byref(out), None) != OK:
            self._predict_rows_or_raise(values, 1, output, out)
        return out.value

    def predict_rows(self, array: NDArray[Any], output: int) -> NDArray[np.float64]:
        """The predictions of the rows of an array of numbers, of shape (n, n_features), n over 0."""
        out = np.empty(len(array))
        for first in range(0, len(array), _ROWS_AT_ONCE):
            self._predict_some(array[first : first + _ROWS_AT_ONCE], output, out[first : first + _ROWS_AT_ONCE])
        return out

    def _predict_some(self, array: NDArray[Any], output: int, out: NDArray[np.float64]) -> None:
        """The same of as many rows as may be copied."""
        n_rows, values = len(array), np.ascontiguousarray(array, np.float64)
        if not values.flags.aligned:
            values = values.copy()
        rows, first = c_void_p(values.ctypes.data), c_double.from_buffer(out.data)
        predict, n = (_predict_row, _ONE) if n_rows == 1 else (_predict_rows, c_size_t(n_rows))
        if predict(self._handle, rows, n, self._n_values, _OUTPUTS[output], ctypes.byref(first), None) != OK:
            self._predict_rows_or_raise(rows, n_rows, output, first)

    def _predict_rows_or_raise(self, rows: bytes | c_void_p, n_rows: int, output: int, out: c_double) -> None:
        """The same call, slow, for the sentence: making room for it each time would take longer than a row."""
        _library.model_predict_rows(self._handle, rows, n_rows, self.n_features, output, out)

    def evaluate(self, dataset: Dataset, n_threads: int) -> float:
        """The metric of the training curve over the rows of a dataset with labels."""
        metric = c_double()
        _library.model_evaluate(self._handle, dataset._handle, n_threads, ctypes.byref(metric))
        return metric.value

    def stages(self, dataset: Dataset, output: int, n_threads: int) -> Iterator[NDArray[np.float64]]:
        """The predictions after each round in turn."""
        stages = _Stages(self, dataset, n_threads)
        for _ in range(self.n_rounds):
            yield stages.next(output)

    def importance(self, part: int) -> NDArray[np.float64]:
        """What each feature brought in the rounds of one learner class."""
        out = np.empty(self.n_features)
        _library.model_importance(self._handle, part, _doubles(out))
        return out

    def feature_names(self) -> list[str] | None:
        return _names(_library.mxb_model_feature_name, self._handle, self.n_features)

    def is_text(self, feature: int) -> bool:
        return bool(_library.mxb_model_feature_is_text(self._handle, feature))

    def texts(self, feature: int) -> list[str]:
        """The texts of a feature that holds text, in the order of their numbers."""
        n_texts = _library.mxb_model_feature_n_texts(self._handle, feature)
        return [_text(_library.mxb_model_feature_text(self._handle, feature, i)) for i in range(n_texts)]

    def labels(self) -> list[str] | list[int] | list[float]:
        """The two labels of a classifier, texts or numbers, whole ones as int; NaN in other models."""
        texts = [_library.mxb_model_label_text(self._handle, i) for i in (0, 1)]
        if texts[0] is not None:
            return [_text(text) for text in texts]
        numbers = [float(_library.mxb_model_label(self._handle, i)) for i in (0, 1)]
        are_whole = all(number.is_integer() and abs(number) < 2**63 for number in numbers)
        return list(map(int, numbers)) if are_whole else numbers

    def objective(self) -> str:
        """The option, or what the metric tells of it where a file has no options."""
        return self.option("objective") or {"rmse": "mse"}.get(self.metric, self.metric)

    def option(self, name: str) -> str | None:
        value = _library.mxb_model_option(self._handle, _bytes(name))
        return None if value is None else _text(value)

    def _places(self) -> list[tuple[int, int]]:
        """Each round, member by member."""
        return [(round, member) for round in range(1, self.n_rounds + 1) for member in range(self.n_members)]

    def rounds(self) -> list[tuple[str, int]]:
        """The learner class and the depth drawn (0 where it is no tree) of each round, member by member."""
        name, depth = _library.mxb_model_round_learner, _library.mxb_model_round_depth
        return [(_text(name(self._handle, *place)), int(depth(self._handle, *place))) for place in self._places()]

    def learner_shares(self) -> dict[str, float]:
        """The part of what the training curve fell that the rounds of each class brought; NaN where it did not fall."""
        curve, shares = self.curve(valid=False), dict[str, float]()
        whole = curve[0] - curve[self.n_rounds]
        for place, (name, _) in zip(self._places(), self.rounds(), strict=True):
            part = _library.mxb_model_round_decrease(self._handle, *place) / whole if whole > 0 else np.nan
            shares[name] = shares.get(name, 0.0) + float(part)
        return shares

    @property
    def metric(self) -> str:
        return _text(_library.mxb_model_metric(self._handle))

    def curve(self, valid: bool) -> NDArray[np.float64]:
        """The metric after 0, 1, ... rounds, also those that early stopping left out; NaN where there is none."""
        n = _library.mxb_model_n_curve(self._handle)
        return np.array([_library.mxb_model_curve(self._handle, i, valid) for i in range(n + 1)])

    @property
    def n_repairs(self) -> int:
        """Rounds whose ridge equations were nearly singular, or whose steps were beyond a double in part."""
        return int(_library.mxb_model_n_repairs(self._handle))


class _Stages(_Handle):
    _free = _library.mxb_stages_free

    def __init__(self, model: Model, dataset: Dataset, n_threads: int) -> None:
        super().__init__()
        self._kept += [model, dataset]
        self._n_rows = dataset.n_rows
        _library.stages_create(model._handle, dataset._handle, n_threads, ctypes.byref(self._handle))

    def next(self, output: int) -> NDArray[np.float64]:
        out = np.empty(self._n_rows)
        _library.stages_next(self._handle, output, _doubles(out))
        return out


# ---- Tuning ------------------------------------------------------------------------------------------------------


class Setting(NamedTuple):
    """A row of the tuner's table of settings."""

    name: str
    default: str
    range: str
    help: str


@cache
def settings() -> tuple[Setting, ...]:
    """The tuner's table of settings."""
    columns = [getattr(_library, f"mxb_setting_{column}") for column in Setting._fields]
    return tuple(Setting(*(_text(column(i)) for column in columns)) for i in range(_library.mxb_setting_count()))


def built_in_space(name: str) -> str | None:
    """The text of a built-in space."""
    text = _library.mxb_space_built_in(_bytes(name))
    return None if text is None else _text(text)


class Space(_Handle):
    """Options and the ranges that their values are drawn from."""

    _free = _library.mxb_space_free

    def __init__(self, text: str) -> None:
        super().__init__()
        _library.space_create(_bytes(text), ctypes.byref(self._handle))

    def fix(self, option: str, value: object) -> None:
        _library.space_fix(self._handle, _bytes(option), _bytes(option_text(option, value)))

    def scales(self) -> dict[str, str]:
        """How each option is drawn: "linear", "log10", "integer", "choice" or "fixed"."""
        name, scale = _library.mxb_space_option, _library.mxb_space_scale
        places = range(_library.mxb_space_n_options(self._handle))
        return {_text(name(self._handle, i)): _text(scale(self._handle, i)) for i in places}


class Trial(NamedTuple):
    """A configuration on a fold, in a stage."""

    stage: int
    config: int
    fold: int


class TrialResult(NamedTuple):
    """What became of a trial."""

    status: int
    loss: float
    n_rounds: int
    seconds: float
    message: str

    def exception(self) -> Exception:
        """What a failure is raised as."""
        return _EXCEPTIONS.get(self.status, RuntimeError)(self.message)


def _result_structure(result: TrialResult) -> TrialResultStructure:
    room = TrialResultStructure.message.size - 1
    message = result.message.replace("\0", " ").encode("utf-8", "replace")[:room]
    message = message.decode("utf-8", "ignore").encode()  # without what the cut leaves of a character
    return TrialResultStructure(result.status, result.loss, result.n_rounds, result.seconds, message)


def _result_of(structure: TrialResultStructure) -> TrialResult:
    seen = structure
    return TrialResult(seen.status, seen.loss, seen.n_rounds, seen.seconds, seen.message.decode("utf-8", "replace"))


_NOT_THERE = c_size_t(-1).value  # SIZE_MAX


def _row_numbers(rows: NDArray[Any]) -> tuple[Any, int, NDArray[np.uintp]]:
    """Pointer and length; the array must be kept as long."""
    numbers = np.ascontiguousarray(rows, dtype=np.uintp)
    return numbers.ctypes.data_as(POINTER(c_size_t)), len(numbers), numbers


class Tuner(_Handle):
    """One search for a configuration. `close` frees it, and lets go of its journal."""

    _free = _library.mxb_tuner_free

    def __init__(self, train: Dataset, space: Space, params: Params) -> None:
        super().__init__()
        self._kept += [train]
        self._space = space
        self._lock, self._n_calls, self._is_closed = threading.Lock(), 0, False
        handles = train._handle, None, space._handle, params._handle
        _library.tuner_create(*handles, ctypes.byref(self._handle))

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._free_if_unused()

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        """Not freed before the end: Ctrl-C may close the tuner while another thread calls it."""
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the search is over")
            self._n_calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._n_calls -= 1
                self._free_if_unused()

    def _free_if_unused(self) -> None:
        if self._is_closed and self._n_calls == 0:
            handle, self._handle = self._handle, Handle()
            _library.mxb_tuner_free(handle)

    # ---- Before the start ----

    def set(self, name: str, value: object) -> None:
        _library.tuner_set(self._handle, _bytes(name), _bytes(str(value)))

    def add_fold(self, train_rows: NDArray[Any], valid_rows: NDArray[Any]) -> None:
        train, n_train, _kept_train = _row_numbers(train_rows)
        valid, n_valid, _kept_valid = _row_numbers(valid_rows)
        _library.tuner_add_fold(self._handle, train, n_train, valid, n_valid)

    def set_journal(self, path: str | os.PathLike[str], resume: bool) -> None:
        _library.tuner_set_journal(self._handle, _path(path), resume)

    def start(self) -> None:
        _library.tuner_start(self._handle)

    @property
    def warning(self) -> str | None:
        text = _library.mxb_tuner_warning(self._handle)
        return None if text is None else _text(text)

    # ---- Trials ----

    def run(self, is_to_go_on: Callable[[float], bool]) -> None:
        """Runs all trials that are left; `is_to_go_on` is asked now and then, with the seconds so far."""

        def ask(_context: int, _tuner: int, seconds: float) -> int:
            return _asked(is_to_go_on, seconds)

        with self._in_use():
            _library.tuner_run(self._handle, TuneProgressFunction(ask), None)

    def refit(self, is_to_go_on: Callable[[], bool]) -> Model:
        """The best configuration trained on all rows."""
        handle = Handle()
        with self._in_use():
            _library.tuner_refit(self._handle, _round_asker(is_to_go_on), None, ctypes.byref(handle))
        return Model(handle, None)

    def next(self) -> Trial | None:
        """A trial that waits, in a fixed order."""
        trial = TrialStructure()
        if not _library.mxb_tuner_next(self._handle, trial):
            return None
        return Trial(trial.stage, trial.config, trial.fold)

    def take_back(self, trial: Trial) -> None:
        _library.mxb_tuner_take_back(self._handle, TrialStructure(*trial))

    def evaluate(
        self, trial: Trial, n_threads: int, is_to_go_on: Callable[[], bool], wants_model: bool
    ) -> tuple[TrialResult, Model | None]:
        """Trains and measures, in this process; `is_to_go_on` is asked after every round."""
        result, handle = TrialResultStructure(), Handle()
        with self._in_use():
            _library.tuner_evaluate(
                self._handle,
                TrialStructure(*trial),
                n_threads,
                _round_asker(is_to_go_on),
                None,
                result,
                ctypes.byref(handle) if wants_model else None,
            )
        return _result_of(result), Model(handle, None) if handle else None

    def tell(self, trial: Trial, result: TrialResult) -> None:
        _library.tuner_tell(self._handle, TrialStructure(*trial), _result_structure(result))

    # ---- What is known ----

    @property
    def n_stages(self) -> int:
        return int(_library.mxb_tuner_n_stages(self._handle))

    @property
    def stage(self) -> int:
        """The stage that runs; n_stages when all is done."""
        return int(_library.mxb_tuner_stage(self._handle))

    def stage_size(self, stage: int) -> int:
        return int(_library.mxb_tuner_stage_size(self._handle, stage))

    def stage_resource(self, stage: int) -> float:
        return float(_library.mxb_tuner_stage_resource(self._handle, stage))

    def stage_workers(self, stage: int) -> int:
        return int(_library.mxb_tuner_stage_workers(self._handle, stage))

    def stage_threads(self, stage: int) -> int:
        return int(_library.mxb_tuner_stage_threads(self._handle, stage))

    @property
    def n_folds(self) -> int:
        return int(_library.mxb_tuner_n_folds(self._handle))

    def n_done(self, stage: int) -> int:
        return int(_library.mxb_tuner_n_done(self._handle, stage))

    def stage_configs(self, stage: int) -> list[int]:
        """The configurations of a stage, ascending; none where it is not reached."""
        places = range(self.stage_size(stage))
        configs = [int(_library.mxb_tuner_stage_config(self._handle, stage, place)) for place in places]
        return [config for config in configs if config != _NOT_THERE]

    def loss(self, stage: int, config: int) -> float:
        """The mean over the folds; NaN if not all are done, infinite if one failed."""
        return float(_library.mxb_tuner_loss(self._handle, stage, config))

    def result(self, trial: Trial) -> TrialResult | None:
        result = TrialResultStructure()
        if not _library.mxb_tuner_result(self._handle, TrialStructure(*trial), result):
            return None
        return _result_of(result)

    @property
    def best(self) -> int | None:
        config = int(_library.mxb_tuner_best(self._handle))
        return None if config == _NOT_THERE else config

    def params(self, config: int) -> Params:
        """The options of a configuration, for a training on all rows."""
        handle = Handle()
        _library.tuner_params(self._handle, config, ctypes.byref(handle))
        return Params._of(handle)

    def importances(self) -> dict[str, float]:
        """What share of the differences between configurations each option of the space explains by itself."""
        names = list(self._space.scales())
        values = np.empty(len(names))
        _library.tuner_importance(self._handle, _doubles(values))
        return dict(zip(names, values.tolist(), strict=True))
