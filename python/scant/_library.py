# ruff: noqa: F405
"""The C library as ctypes sees it: the functions of scant.h, scant_sums.h and scant_study.h, and exceptions
from their errors.

Names are those of the headers.  Calls that may take long release the GIL, short ones keep it.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import pathlib
from collections.abc import Callable, Mapping
from ctypes import (
    CFUNCTYPE,
    POINTER,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_size_t,
    c_ssize_t,
    c_ubyte,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, TypeVar, cast

from ._errors import failure
from ._structs import *  # noqa: F403

Made = TypeVar("Made")

# scant_status: those that Python's side names itself.
DATA, IO, SPENT = 2, 4, 7

# scant_curve_unit: what Python's curves and plans count in.
EXAMPLES, ATTRIBUTES, MONEY = 0, 1, 2

# scant_default_role.
DEFAULT_DENSE, DEFAULT_STREAMING = 1, 2

# scant_verdict: the one that does not stop.
BUY = 0

# scant_fit_note: how many there are; scant_model_note: the one that summaries print.
FIT_NOTES, RARE_PAIRS = 7, 1

# scant_note: the one that Python's models warn of.
ABSENT = 1

# scant_type, by the letters of NumPy's dtypes.
TYPES = {"f8": 0, "f4": 1, "u1": 2, "i1": 3, "u2": 4, "i2": 5, "u4": 6, "i4": 7, "u8": 8, "i8": 9}

Fetch = CFUNCTYPE(c_int, c_void_p, c_size_t, c_size_t, POINTER(c_uint32), POINTER(c_double), POINTER(Error))

# ---- functions -------------------------------------------------------------


def _find() -> str:
    """The library with studies, where SQLite is there to load it; else the one without."""
    here = pathlib.Path(__file__).parent
    for name in ("_scant_study.so", "_scant_study.dylib", "_scant.so", "_scant.dylib"):
        with contextlib.suppress(OSError):
            if (here / name).exists() and ctypes.CDLL(str(here / name)):
                return str(here / name)
    raise ImportError(f"the compiled part of scant is not in {here}: install the package with pip")


_path = _find()
_brief = ctypes.PyDLL(_path)  # keeps the GIL
_long = ctypes.CDLL(_path)  # releases it


def _plain(name: str, result: Any, *arguments: Any, long: bool = False) -> Callable[..., Any]:
    function = getattr(_long if long else _brief, name)
    function.restype, function.argtypes = result, arguments
    return cast("Callable[..., Any]", function)


def _checked(name: str, *arguments: Any, long: bool = False) -> Callable[..., None]:
    """A function that ends with an error: what it says becomes an exception."""
    function = getattr(_long if long else _brief, name)
    function.restype, function.argtypes = c_int, (*arguments, POINTER(Error))

    def call(*values: Any) -> None:
        error = Error()
        status = function(*values, byref(error))
        if status:
            raise failure(status, error.text.decode("utf-8", "replace"))

    call.__name__ = name
    return call


def _of_study(name: str, *arguments: Any) -> Callable[..., None]:
    """A function of a study that reads or writes its file."""
    return _checked(name, c_void_p, *arguments, long=True)


_out = POINTER(c_void_p)

version = _plain("scant_version", c_char_p)

option_at = _plain("scant_option_at", POINTER(Option), c_size_t)
algorithm_at = _plain("scant_algorithm_at", POINTER(Algorithm), c_size_t)

settings_new = _checked("scant_settings_new", _out)
settings_free = _plain("scant_settings_free", None, c_void_p)
settings_set = _checked("scant_settings_set", c_void_p, c_char_p, c_char_p)
settings_get = _plain("scant_settings_get", c_int, c_void_p, POINTER(Option), c_char_p, c_size_t)
settings_resolve = _checked("scant_settings_resolve", c_void_p)
settings_choose = _plain("scant_settings_choose", c_int, c_void_p, c_size_t, c_uint64, c_void_p, POINTER(Error))

prices_new = _checked("scant_prices_new", _out, c_size_t, c_void_p, c_void_p)
prices_load = _checked("scant_prices_load", _out, c_char_p, c_void_p)
prices_free = _plain("scant_prices_free", None, c_void_p)
prices_cost = _plain("scant_prices_cost", c_uint64, c_void_p, c_size_t)
prices_group = _plain("scant_prices_group", c_uint32, c_void_p, c_size_t)

learner_new = _checked("scant_learner_new", _out, c_void_p, c_size_t, c_uint64)
learner_free = _plain("scant_learner_free", None, c_void_p)
learner_price = _checked("scant_learner_price", c_void_p, c_void_p)
learner_ask = _checked("scant_learner_ask", c_void_p, POINTER(Look))
learner_tell_block = _checked("scant_learner_tell_block", c_void_p, POINTER(Look), c_size_t, c_void_p, c_void_p)
learner_tell = _checked("scant_learner_tell", c_void_p, POINTER(Look), c_size_t, c_void_p, c_void_p, c_double)
learner_cancel = _checked("scant_learner_cancel", c_void_p, POINTER(Look))
learner_reopen = _checked("scant_learner_reopen", c_void_p, POINTER(Look))
learner_judge = _checked("scant_learner_judge", c_void_p, POINTER(Look), c_void_p, c_double, POINTER(c_double))
learner_finish = _checked("scant_learner_finish", c_void_p, long=True)
learner_weights = _plain("scant_learner_weights", None, c_void_p, c_void_p, POINTER(c_double))
learner_means = _plain("scant_learner_means", None, c_void_p, c_void_p)
learner_limits = _plain("scant_learner_limits", c_int, c_void_p, c_void_p, c_void_p)
learner_get_facts = _plain("scant_learner_get_facts", None, c_void_p, POINTER(Facts))
learner_describe = _checked("scant_learner_describe", c_void_p, POINTER(Look), POINTER(LookLine), c_void_p)
look_new = _checked("scant_look_new", POINTER(POINTER(Look)), c_void_p)
look_free = _plain("scant_look_free", None, POINTER(Look))

look_save = _checked("scant_look_save", POINTER(Look), _out, POINTER(c_size_t))
look_load = _checked("scant_look_load", POINTER(POINTER(Look)), c_char_p, c_size_t)
learner_algorithm = _plain("scant_learner_algorithm", c_char_p, c_void_p)
learner_save = _checked("scant_learner_save", c_void_p, _out, POINTER(c_size_t))
learner_load = _checked("scant_learner_load", _out, c_char_p, c_size_t, c_void_p)
text_free = _plain("scant_text_free", None, c_void_p)

source_wrap = _checked("scant_source_wrap", _out, c_int, c_void_p, c_size_t, c_size_t, c_ssize_t, c_ssize_t, c_void_p)
source_custom = _checked("scant_source_custom", _out, c_size_t, c_size_t, Fetch, c_void_p, c_void_p)
source_columns = _checked("scant_source_columns", _out, POINTER(Column), c_size_t, c_size_t, c_void_p)
source_sparse = _checked("scant_source_sparse", _out, POINTER(Sparse), c_size_t, c_size_t, c_void_p)
source_arrow = _checked("scant_source_arrow", _out, c_void_p, c_void_p, c_size_t, long=True)
source_set_names = _checked("scant_source_set_names", c_void_p, POINTER(c_char_p), c_char_p)
source_set_prices = _checked("scant_source_set_prices", c_void_p, c_void_p)
source_log_target = _checked("scant_source_log_target", c_void_p)
source_free = _plain("scant_source_free", None, c_void_p)
source_name = _plain("scant_source_name", c_char_p, c_void_p, c_size_t)
source_rows = _plain("scant_source_rows", c_size_t, c_void_p)
source_dimension = _plain("scant_source_dimension", c_size_t, c_void_p)

model_load = _checked("scant_model_load", _out, c_char_p)
model_save = _checked("scant_model_save", c_void_p, c_char_p)
model_write = _checked("scant_model_write", c_void_p, _out, POINTER(c_size_t))
model_read = _checked("scant_model_read", _out, c_char_p, c_size_t)
model_free = _plain("scant_model_free", None, c_void_p)
model_dimension = _plain("scant_model_dimension", c_size_t, c_void_p)
model_weights = _plain("scant_model_weights", POINTER(c_double), c_void_p)
model_intercept = _plain("scant_model_intercept", c_double, c_void_p)
model_means = _plain("scant_model_means", POINTER(c_double), c_void_p)
model_low = _plain("scant_model_low", POINTER(c_double), c_void_p)
model_high = _plain("scant_model_high", POINTER(c_double), c_void_p)
model_name = _plain("scant_model_name", c_char_p, c_void_p, c_size_t)
model_settings = _plain("scant_model_settings", c_void_p, c_void_p)
model_ledger = _plain("scant_model_ledger", POINTER(Ledger), c_void_p)
model_purchases = _plain("scant_model_purchases", POINTER(c_uint64), c_void_p)
model_errors = _plain("scant_model_errors", POINTER(c_double), c_void_p)
model_intercept_error = _plain("scant_model_intercept_error", c_double, c_void_p)
model_risk = _plain("scant_model_risk", c_double, c_void_p)
model_risk_error = _plain("scant_model_risk_error", c_double, c_void_p)
model_error_quantile = _plain("scant_model_error_quantile", c_double, c_void_p, c_double)
model_say = _plain("scant_model_say", c_int, c_void_p, c_int, POINTER(Error))
model_is_unpenalised = _plain("scant_model_is_unpenalised", c_int, c_void_p, c_size_t)
model_bind = _checked("scant_model_bind", c_void_p, c_void_p)
model_predict_rows = _checked("scant_model_predict_rows", c_void_p, c_void_p, c_void_p, long=True)
model_predict_known = _checked(
    "scant_model_predict_known", c_void_p, c_void_p, c_double, POINTER(Prediction), long=True
)

model_prices = _plain("scant_model_prices", c_void_p, c_void_p)
model_find = _checked("scant_model_find", c_void_p, c_char_p, POINTER(c_ubyte))
model_load_prices = _checked("scant_model_load_prices", c_void_p, c_char_p, _out)

query_new = _checked("scant_query_new", _out, c_void_p, c_void_p)
query_free = _plain("scant_query_free", None, c_void_p)
query_reset = _plain("scant_query_reset", None, c_void_p)
query_next = _plain("scant_query_next", c_int, c_void_p, POINTER(c_uint32))
query_tell = _checked("scant_query_tell", c_void_p, c_uint32, c_double)
query_is_told = _plain("scant_query_is_told", c_int, c_void_p, c_uint32)
query_price = _plain("scant_query_price", c_uint64, c_void_p, c_uint32)
query_predict = _plain("scant_query_predict", None, c_void_p, c_double, POINTER(Prediction))
query_sure = _plain("scant_query_sure", c_double, c_void_p, POINTER(c_double))
query_offers = _plain("scant_query_offers", c_size_t, c_void_p, c_double, c_uint64, POINTER(Offer), c_size_t)
query_decide = _plain(
    "scant_query_decide", c_int, c_void_p, POINTER(Stop), c_double, c_uint64, c_uint64, POINTER(c_uint32)
)
stop_check = _checked("scant_stop_check", POINTER(Stop), c_void_p, c_void_p, c_double)
verdict_name = _plain("scant_verdict_name", c_char_p, c_int)

fit_new = _checked("scant_fit_new", _out, c_void_p, c_void_p)
fit_stream = _checked("scant_fit_stream", _out, c_void_p, c_void_p)
fit_feed = _checked("scant_fit_feed", c_void_p, c_void_p)
fit_continue = _checked("scant_fit_continue", _out, c_void_p, c_void_p, c_void_p)
fit_free = _plain("scant_fit_free", None, c_void_p)
fit_advance = _checked("scant_fit_advance", c_void_p, c_uint64, POINTER(c_int), long=True)
fit_horizon = _plain("scant_fit_horizon", c_uint64, c_void_p)
fit_budget_spent = _plain("scant_fit_budget_spent", c_int, c_void_p)
fit_ledger = _plain("scant_fit_ledger", POINTER(Ledger), c_void_p)
fit_get_facts = _plain("scant_fit_get_facts", None, c_void_p, POINTER(Facts))
fit_settings = _plain("scant_fit_settings", c_void_p, c_void_p)
source_note = _plain("scant_source_note", c_uint64, c_void_p, c_int, POINTER(Error))
fit_choice = _plain("scant_fit_choice", c_char_p, c_void_p)
fit_say = _plain("scant_fit_say", c_int, c_void_p, c_void_p, c_int, POINTER(Error))
fit_model = _checked("scant_fit_model", c_void_p, c_int, _out, long=True)
fit_errors = _checked("scant_fit_errors", c_void_p, c_void_p, long=True)
fit_keep_looks = _checked("scant_fit_keep_looks", c_void_p, c_char_p, c_char_p)
fit_end_looks = _checked("scant_fit_end_looks", c_void_p, long=True)
fit_learner = _plain("scant_fit_learner", c_void_p, c_void_p)

curve_step = _plain("scant_curve_step", c_uint64, c_int, c_uint64, c_size_t, c_size_t)
curve_new = _checked("scant_curve_new", _out, c_void_p, POINTER(c_uint64), c_size_t)
curve_free = _plain("scant_curve_free", None, c_void_p)
curve_advance = _checked("scant_curve_advance", c_void_p, c_uint64, POINTER(c_int), POINTER(c_int), long=True)

plan_new = _checked("scant_plan_new", _out, POINTER(PlanRequest), long=True)
plan_free = _plain("scant_plan_free", None, c_void_p)
plan_run = _checked("scant_plan_run", c_void_p, long=True)
plan_get_facts = _plain("scant_plan_get_facts", None, c_void_p, POINTER(PlanFacts))
plan_entry_at = _checked("scant_plan_entry_at", c_void_p, c_size_t, POINTER(PlanEntry))
plan_say = _plain("scant_plan_say", c_int, c_void_p, c_int, POINTER(Error))
plan_point_at = _plain("scant_plan_point_at", c_int, c_void_p, c_size_t, c_size_t, c_size_t, POINTER(PlanPoint))

# What needs LAPACK is not in a build with -Dlapack=disabled.
HAS_LAPACK = hasattr(_brief, "scant_python_engines")
if HAS_LAPACK:
    set_engines = _plain("scant_python_engines", None, c_void_p)

# Nor are sums of blocks, which engines learn from.
HAS_SUMS = hasattr(_brief, "scant_sums_learn")
if HAS_SUMS:
    _reply = (_out, POINTER(c_size_t))
    bytes_free = _plain("scant_bytes_free", None, c_void_p)
    sums_new = _checked("scant_sums_new", _out, c_size_t)
    sums_free = _plain("scant_sums_free", None, c_void_p)
    sums_add = _checked("scant_sums_add", c_void_p, c_uint64, c_size_t, c_size_t, *[c_void_p] * 5, long=True)
    sums_merge = _checked("scant_sums_merge", c_void_p, c_void_p, long=True)
    sums_save = _checked("scant_sums_save", c_void_p, *_reply, long=True)
    sums_load = _checked("scant_sums_load", _out, c_char_p, c_size_t, long=True)
    sums_get_facts = _plain("scant_sums_get_facts", None, c_void_p, POINTER(SumsFacts))
    sums_purchases = _plain("scant_sums_purchases", None, c_void_p, c_void_p)
    sums_limits = _checked("scant_sums_limits", c_void_p, c_double, c_void_p, c_void_p, long=True)
    sums_answer = _checked("scant_sums_answer", c_void_p, c_char_p, c_size_t, *_reply, long=True)
    reply_merge = _checked("scant_reply_merge", c_char_p, c_size_t, c_char_p, c_size_t, *_reply, long=True)
    asker_here = _checked("scant_asker_here", _out, c_void_p, c_size_t, c_uint64)
    asker_here_free = _plain("scant_asker_here_free", None, c_void_p)
    sums_learn = _checked("scant_sums_learn", _out, c_void_p, c_size_t, c_void_p, c_int, long=True)
    sums_fit_free = _plain("scant_sums_fit_free", None, c_void_p)
    sums_fit_weights = _plain("scant_sums_fit_weights", None, c_void_p, c_void_p, POINTER(c_double))
    sums_fit_facts = _plain("scant_sums_fit_facts", None, c_void_p, POINTER(Facts))
    sums_fit_law = _plain("scant_sums_fit_law", None, c_void_p, c_void_p, c_void_p)
    sums_fit_model = _checked("scant_sums_fit_model", c_void_p, POINTER(SumsTerms), _out, long=True)
    block_look = _checked("scant_block_look", c_size_t, *[c_uint64] * 3, *[c_void_p] * 3, POINTER(c_size_t))

# Studies need SQLite, so they are not in every build either.  They write to the disk and wait for it.
HAS_STUDY = hasattr(_brief, "scant_study_open_waiting")
if HAS_STUDY:
    _order = POINTER(POINTER(StudyOrder))
    _event = POINTER(POINTER(StudyEvent))
    _rows = (POINTER(StudyAttribute), c_size_t)
    _answers = (POINTER(StudyAnswer), c_size_t)
    study_catalogue_load = _checked(
        "scant_study_catalogue_load", POINTER(POINTER(StudyAttribute)), POINTER(c_size_t), c_char_p
    )
    study_catalogue_free = _plain("scant_study_catalogue_free", None, POINTER(StudyAttribute))
    study_choose = _checked("scant_study_choose", c_void_p, *_rows, c_char_p, POINTER(Error))
    study_create = _checked("scant_study_create_with", c_char_p, c_void_p, *_rows, POINTER(StudyTerms), long=True)
    study_open_waiting = _checked(
        "scant_study_open_waiting", _out, c_char_p, c_int, POINTER(StudyWait), c_void_p, long=True
    )
    study_renewals = _plain("scant_study_renewals", c_uint64, c_void_p)
    study_foresee = _of_study("scant_study_foresee", c_double, c_uint64, c_void_p, c_void_p, POINTER(StudyOutlook))
    study_sign = _checked("scant_study_sign", c_void_p, c_char_p, c_char_p)
    study_close = _plain("scant_study_close", None, c_void_p, long=True)
    study_dimension = _plain("scant_study_dimension", c_size_t, c_void_p)
    study_attribute_at = _plain("scant_study_attribute_at", POINTER(StudyAttribute), c_void_p, c_size_t)
    study_target = _plain("scant_study_target", c_char_p, c_void_p)
    study_settings = _plain("scant_study_settings", c_void_p, c_void_p)
    study_missing_reasons = _plain("scant_study_missing_reasons", c_char_p, c_void_p)
    study_second_entry = _plain("scant_study_second_entry", c_int, c_void_p)
    second_entry_name = _plain("scant_second_entry_name", c_char_p, c_int)
    order_state_name = _plain("scant_order_state_name", c_char_p, c_int)
    order_state_help = _plain("scant_order_state_help", c_char_p, c_int)
    line_state_name = _plain("scant_line_state_name", c_char_p, c_int)
    event_kind_name = _plain("scant_event_kind_name", c_char_p, c_int)
    event_kind_help = _plain("scant_event_kind_help", c_char_p, c_int)
    study_find = _of_study("scant_study_find", c_char_p, _order)
    study_order_at = _of_study("scant_study_order_at", c_uint64, _order)
    study_ask_all = _of_study("scant_study_ask_all", POINTER(c_char_p), c_size_t)
    study_preview = _of_study("scant_study_preview", c_uint64, POINTER(StudyForecast), POINTER(c_double))
    study_take_new_names = _plain("scant_study_take_new_names", None, c_void_p, c_int)
    study_open_after = _of_study("scant_study_open_after", c_uint64, _order)
    study_reopen = _of_study("scant_study_reopen", c_char_p, c_char_p)
    study_event_of = _of_study("scant_study_event_of", c_char_p, c_uint64, _event)
    study_tell = _of_study("scant_study_tell", c_char_p, *_answers)
    study_tell_second = _of_study("scant_study_tell_second", c_char_p, *_answers, POINTER(StudyComparison))
    study_tell_extra = _of_study("scant_study_tell_extra", c_char_p, *_answers, c_char_p, POINTER(c_int))
    study_amend = _of_study("scant_study_amend", *_rows, c_void_p, c_char_p, c_int, POINTER(c_void_p))
    study_describe_change = _checked("scant_study_describe_change", c_void_p, POINTER(c_void_p))
    study_correct = _of_study("scant_study_correct", c_char_p, *_answers, c_char_p)
    study_end_order = _of_study("scant_study_end_order", c_char_p, c_int, c_char_p)
    study_find_traces = _of_study("scant_study_find_traces", c_char_p, POINTER(StudyTraces))
    study_erase = _of_study("scant_study_erase", c_char_p, c_char_p, POINTER(StudyTraces))
    study_sweep = _of_study("scant_study_sweep")
    study_import = _of_study("scant_study_import", c_char_p, *_answers)
    study_get_status = _of_study("scant_study_get_status", POINTER(StudyStatus))
    study_purchases = _of_study("scant_study_purchases", c_void_p, c_void_p)
    study_event_after = _of_study("scant_study_event_after", c_uint64, _event)
    study_model = _of_study("scant_study_model", _out)
    study_model_errors = _of_study("scant_study_model_errors", c_char_p, _out)
    study_looks = _of_study("scant_study_export_looks", c_char_p, c_char_p, c_int)
    study_export_examples = _of_study("scant_study_export_examples", c_char_p, c_char_p, c_int)
    study_export_events = _of_study("scant_study_export_events", c_char_p, c_int)
    study_examples = _of_study("scant_study_examples", _out, _out)
    study_gaussian = _of_study("scant_study_gaussian", _out)
    study_predict = _of_study("scant_study_predict", *_answers, c_double, POINTER(Prediction))
    study_verify = _of_study("scant_study_verify", POINTER(StudyProof))
    study_replay = _of_study("scant_study_replay")
    study_backup = _of_study("scant_study_backup", c_char_p)
    study_freeze = _of_study("scant_study_freeze", c_char_p, c_char_p, POINTER(StudyFrozen))
    study_check_frozen = _of_study("scant_study_check_frozen", POINTER(StudyFrozen))
    study_frozen_name = _plain("scant_study_frozen_name", c_char_p, c_void_p)


_malloc = ctypes.CDLL(None).malloc
_malloc.restype, _malloc.argtypes = c_void_p, (c_size_t,)


def copied(held: bytes) -> int:
    """These bytes where the library may free them."""
    place = _malloc(max(len(held), 1))
    if not place:
        raise MemoryError
    ctypes.memmove(place, held, len(held))
    return int(place)


# ---- owning ----------------------------------------------------------------


class Owned:
    """A pointer to something of the library's, freed when Python lets go of it."""

    def __init__(self, free: Callable[[Any], None], make: Callable[..., None], *arguments: Any) -> None:
        pointer = c_void_p()
        self._free = free
        self.pointer: int | None = None
        make(byref(pointer), *arguments)
        self.pointer = pointer.value

    @property
    def _as_parameter_(self) -> c_void_p:
        return c_void_p(self.pointer)

    def release(self) -> c_void_p:
        """Gives the pointer away, to a function that takes it over."""
        pointer, self.pointer = c_void_p(self.pointer), None
        return pointer

    def __del__(self) -> None:
        if getattr(self, "pointer", None) is not None:
            self._free(self.pointer)
            self.pointer = None


class Borrowed:
    """A pointer to something that belongs to another thing of the library's, which is kept alive."""

    def __init__(self, pointer: int, owner: Any) -> None:
        self._owner = owner
        self.pointer = pointer

    @property
    def _as_parameter_(self) -> c_void_p:
        return c_void_p(self.pointer)


def sentence_of(say: Callable[..., Any], *arguments: Any) -> str:
    """What one of the functions that tell notes says of them; "" if nothing."""
    said = Error()
    return said.text.decode("utf-8", "replace") if say(*arguments, byref(said)) else ""


def text_of(save: Callable[..., None], thing: Any) -> bytes:
    """What one of the functions that save returns, as bytes of Python's."""
    text, length = c_void_p(), c_size_t()
    save(thing, byref(text), byref(length))
    try:
        return ctypes.string_at(text, length.value)
    finally:
        text_free(text)


# ---- records from what the library says ------------------------------------


def filled(
    kind: type[Made], get: Callable[[str], Any], makers: Mapping[str, Callable[[Any], Any]], /, **given: Any
) -> Made:
    """A record whose other fields ``get`` finds by their names; ``makers`` convert them, by the type of the field."""
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if field.name not in given:
            make, value = makers.get(str(field.type)), get(field.name)
            given[field.name] = value if make is None else make(value)
    return kind(**given)
