"""The structs of scant.h, scant_sums.h and scant_study.h as ctypes sees them.

Names and order are those of the headers; tests compare the layouts with what a compiler
says.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_ssize_t,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
)


class Error(Structure):
    _fields_ = [("text", c_char * 512)]


class Option(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("letter", c_char),
        ("type", c_int),
        ("scope", c_uint),
        ("argument", c_char_p),
        ("preset", c_char_p),
        ("choices", c_char_p),
        ("minimum", c_double),
        ("maximum", c_double),
        ("or_auto", c_int),
        ("or_none", c_int),
        ("help", c_char_p),
        ("offset", c_size_t),
        ("join", c_char),
    ]


class Algorithm(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("title", c_char_p),
        ("look", c_char_p),
        ("estimate", c_char_p),
        ("update", c_char_p),
        ("options", c_char_p),
        ("presets", c_char_p),
        ("strict", c_int),
        ("whole", c_int),
        ("least_k", c_uint32),
        ("grid", c_char_p),
        ("dense", c_int),
        ("reference", c_char_p),
        ("priced", c_int),
        ("joint", c_int),
        ("sums", c_int),
        ("role", c_int),
        ("solver", c_char_p),
        ("norm", c_int),
    ]


class LookCall(Structure):
    _fields_ = [("order", c_uint32), ("group", c_uint32)]


class LookLine(Structure):
    _fields_ = [
        ("attribute", c_uint32),
        ("item", c_uint32),
        ("certain", c_int),
        ("draws", c_uint32),
        ("draws_total", c_uint32),
        ("probability", c_double),
        ("residual_draws", c_uint32),
        ("residual_total", c_uint32),
        ("residual_probability", c_double),
        ("inclusion", c_double),
    ]


class Look(Structure):
    _fields_ = [
        ("learner", c_uint64),
        ("serial", c_uint64),
        ("count", c_uint32),
        ("draws", c_uint32),
        ("gradient_total", c_uint32),
        ("residual_total", c_uint32),
        ("calls", c_uint32),
        ("gradient_scale", c_double),
        ("y_mean", c_double),
        ("intercept", c_double),
        ("sequence_count", c_uint32),
        ("capacity", c_size_t),
        ("sequence_capacity", c_size_t),
        ("call", LookCall * 2),
        ("attributes", POINTER(c_uint32)),
        ("item", POINTER(c_uint32)),
        ("gradient_draws", POINTER(c_uint32)),
        ("residual_draws", POINTER(c_uint32)),
        ("gradient_probability", POINTER(c_double)),
        ("residual_probability", POINTER(c_double)),
        ("weight", POINTER(c_double)),
        ("mean", POINTER(c_double)),
        ("sequence", POINTER(c_uint32)),
    ]


class Certificate(Structure):
    _fields_ = [("kkt", c_double), ("gap", c_double), ("constraint", c_double), ("lambda_", c_double)]


class Facts(Structure):
    _fields_ = [
        ("dimension", c_size_t),
        ("told", c_uint64),
        ("k_gradient", c_uint64),
        ("eta", c_double),
        ("penalty", c_double),
        ("expected_draws", c_double),
        ("risk", c_double),
        ("risk_error", c_double),
        ("scale", c_double),
        ("target_variance", c_double),
        ("likelihood", c_double),
        ("certificate", Certificate),
    ]


class Ledger(Structure):
    _fields_ = [
        ("examples", c_uint64),
        ("distinct_examples", c_uint64),
        ("looks_drawn", c_uint64),
        ("attributes_bought", c_uint64),
        ("max_bought_per_example", c_uint64),
        ("money_spent", c_uint64),
        ("missing_cells", c_uint64),
        ("skipped_examples", c_uint64),
        ("refused_examples", c_uint64),
    ]


class Column(Structure):
    _fields_ = [
        ("type", c_int),
        ("data", c_void_p),
        ("stride", c_ssize_t),
        ("valid", c_void_p),
        ("valid_start", c_size_t),
    ]


class Sparse(Structure):
    _fields_ = [
        ("by_column", c_int),
        ("type", c_int),
        ("index_type", c_int),
        ("data", c_void_p),
        ("indices", c_void_p),
        ("starts", c_void_p),
    ]


class Prediction(Structure):
    _fields_ = [("mean", c_double), ("low", c_double), ("high", c_double), ("variance", c_double)]


# How much of a plan is done; another number than 0 stops it.
PlanProgress = CFUNCTYPE(c_int, c_void_p, c_double)


class PlanRequest(Structure):
    _fields_ = [
        ("settings", c_void_p),
        ("model", c_void_p),
        ("pilot", c_void_p),
        ("prices", c_void_p),
        ("k", POINTER(c_uint64)),
        ("k_count", c_size_t),
        ("unit", c_int),
        ("budget", c_uint64),
        ("label_cost", c_uint64),
        ("examples", c_uint64),
        ("reach", c_double),
        ("runs", c_size_t),
        ("seed", c_uint64),
        ("threads", c_uint64),
        ("progress", PlanProgress),
        ("user", c_void_p),
    ]


class PlanFacts(Structure):
    _fields_ = [
        ("dimension", c_size_t),
        ("k_count", c_size_t),
        ("runs", c_size_t),
        ("steps", c_size_t),
        ("step", c_size_t),
        ("recommended", c_size_t),
        ("pilot_examples", c_uint64),
        ("unknown", c_size_t),
        ("variance", c_double),
        ("shown", c_double),
        ("shown_error", c_double),
        ("strength", c_double),
        ("strength_error", c_double),
        ("least", c_double),
        ("least_sd", c_double),
        ("limit", c_double),
        ("work", c_double),
        ("recommended_budget", c_size_t),
        ("worse_than_mean", c_int),
    ]


class PlanEntry(Structure):
    _fields_ = [
        ("k", c_uint64),
        ("algorithm", c_char_p),
        ("examples", c_double),
        ("attributes", c_double),
        ("money", c_double),
        ("error", c_double),
        ("sd", c_double),
        ("r2", c_double),
        ("regret", c_double),
        ("regret_error", c_double),
        ("reached", c_size_t),
        ("reach_examples", c_double),
        ("reach_money", c_double),
        ("reach_low", c_double),
        ("reach_high", c_double),
    ]


class PlanPoint(Structure):
    _fields_ = [("examples", c_uint64), ("attributes", c_uint64), ("money", c_uint64), ("error", c_double)]


class Offer(Structure):
    _fields_ = [
        ("attribute", c_uint32),
        ("price", c_uint64),
        ("variance", c_double),
        ("width", c_double),
        ("sure", c_double),
        ("moves", c_double),
    ]


class Stop(Structure):
    _fields_ = [("k", c_uint64), ("spend", c_uint64), ("width", c_double), ("sure", c_double)]


class StudyAttribute(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("cost", c_uint64),
        ("low", c_double),
        ("high", c_double),
        ("group", c_char_p),
        ("known", c_int),
        ("usual_low", c_double),
        ("usual_high", c_double),
        ("retired", c_int),
    ]


class StudyTerms(Structure):
    _fields_ = [
        ("target", c_char_p),
        ("by", c_char_p),
        ("via", c_char_p),
        ("missing_reasons", c_char_p),
        ("second_entry", c_int),
    ]


class StudyLine(Structure):
    _fields_ = [
        ("attribute", c_uint32),
        ("price", c_uint64),
        ("state", c_int),
        ("value", c_double),
        ("probability", c_double),
        ("note", c_char_p),
        ("second", c_int),
        ("second_value", c_double),
        ("second_note", c_char_p),
        ("item", c_uint32),
        ("counted", c_int),
    ]


class StudyTold(Structure):
    _fields_ = [("attribute", c_int64), ("value", c_double), ("note", c_char_p)]


class StudyOrder(Structure):
    _fields_ = [
        ("number", c_uint64),
        ("example", c_char_p),
        ("state", c_int),
        ("price", c_uint64),
        ("spent", c_uint64),
        ("has_y", c_int),
        ("y", c_double),
        ("asked_at", c_char_p),
        ("asked_by", c_char_p),
        ("reason", c_char_p),
        ("age", c_uint64),
        ("count", c_size_t),
        ("lines", POINTER(StudyLine)),
        ("second", c_int),
        ("second_y", c_double),
        ("second_needed", c_int),
        ("extra_count", c_size_t),
        ("extras", POINTER(StudyTold)),
    ]


class StudyForecast(Structure):
    _fields_ = [
        ("draws", c_uint64),
        ("least", c_uint64),
        ("most", c_uint64),
        ("mean", c_double),
        ("attributes_most", c_uint64),
        ("attributes_mean", c_double),
        ("left", c_uint64),
        ("attributes_left", c_uint64),
    ]


class StudyAnswer(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double), ("missing", c_int), ("note", c_char_p), ("confirmed", c_int)]


class StudyComparison(Structure):
    _fields_ = [("agree", c_size_t), ("differ", c_size_t), ("once", c_size_t), ("same_hand", c_size_t)]


class StudyStatus(Structure):
    _fields_ = [
        ("events", c_uint64),
        ("orders", c_uint64),
        ("open", c_uint64),
        ("learned", c_uint64),
        ("cancelled", c_uint64),
        ("expired", c_uint64),
        ("failed", c_uint64),
        ("erased", c_uint64),
        ("unswept", c_int),
        ("differ", c_uint64),
        ("imported", c_uint64),
        ("attributes_bought", c_uint64),
        ("spent", c_uint64),
        ("reserved", c_uint64),
        ("budget_cost", c_uint64),
        ("budget", c_uint64),
        ("attributes_reserved", c_uint64),
        ("risk", c_double),
        ("risk_error", c_double),
        ("mean_age", c_double),
        ("most_age", c_uint64),
    ]


class StudyTraces(Structure):
    _fields_ = [
        ("events", c_uint64),
        ("orders", c_uint64),
        ("order", c_uint64),
        ("open", c_uint64),
        ("imported", c_int),
        ("spent", c_uint64),
        ("refunded", c_uint64),
        ("attributes", c_uint64),
        ("looks", c_uint64),
        ("unknown", c_uint64),
        ("mentions", c_uint64),
        ("unswept", c_int),
    ]


class StudyEvent(Structure):
    _fields_ = [
        ("sequence", c_uint64),
        ("at", c_char_p),
        ("kind", c_int),
        ("by", c_char_p),
        ("via", c_char_p),
        ("erased", c_int),
        ("example", c_char_p),
        ("order", c_uint64),
        ("attributes", c_int64),
        ("reserved", c_int64),
        ("spent", c_int64),
        ("look", c_char_p),
        ("reason", c_char_p),
        ("change", c_char_p),
        ("learned", c_int),
        ("count", c_size_t),
        ("told", POINTER(StudyTold)),
        ("salt", c_uint64),
        ("digest", c_uint64),
        ("checksum", c_uint64),
    ]


class StudyProof(Structure):
    _fields_ = [
        ("events", c_uint64),
        ("orders", c_uint64),
        ("same_build", c_int),
        ("same_bits", c_int),
        ("difference", c_double),
    ]


class StudyFrozen(Structure):
    _fields_ = [
        ("name", c_char * 204),
        ("at", c_char * 32),
        ("by", c_char * 204),
        ("events", c_uint64),
        ("checksum", c_uint64),
        ("sha256", c_char * 65),
    ]


StudyStop = CFUNCTYPE(c_int, c_void_p)


class StudyWait(Structure):
    _fields_ = [("seconds", c_double), ("stop", StudyStop), ("user", c_void_p)]


class StudyOutlook(Structure):
    _fields_ = [
        ("error", c_double),
        ("k", c_uint64),
        ("learned", c_uint64),
        ("examples", c_double),
        ("more", c_double),
        ("runs", c_size_t),
        ("reached", c_size_t),
    ]


class SumsFacts(Structure):
    _fields_ = [
        ("blocks", c_uint64),
        ("examples", c_uint64),
        ("cells", c_uint64),
        ("missing", c_uint64),
        ("memory", c_uint64),
        ("dimension", c_size_t),
        ("limited", c_int),
    ]


# What answers the request of who learns from sums.
Ask = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t), POINTER(Error))


class Asker(Structure):
    _fields_ = [("ask", Ask), ("user", c_void_p)]


class SumsTerms(Structure):
    _fields_ = [
        ("names", POINTER(c_char_p)),
        ("target", c_char_p),
        ("low", c_void_p),
        ("high", c_void_p),
        ("two_values", c_void_p),
        ("prices", c_void_p),
        ("ledger", POINTER(Ledger)),
        ("purchases", c_void_p),
    ]


# The name of each struct in the headers, for the test of the layouts.
LAYOUTS = {
    "scant_error": Error,
    "scant_option": Option,
    "scant_algorithm": Algorithm,
    "scant_look_call": LookCall,
    "scant_look": Look,
    "scant_look_line": LookLine,
    "scant_learner_facts": Facts,
    "scant_ledger": Ledger,
    "scant_column": Column,
    "scant_sparse": Sparse,
    "scant_prediction": Prediction,
    "scant_plan_request": PlanRequest,
    "scant_plan_facts": PlanFacts,
    "scant_plan_entry": PlanEntry,
    "scant_plan_point": PlanPoint,
    "scant_offer": Offer,
    "scant_stop": Stop,
    "scant_sums_facts": SumsFacts,
    "scant_asker": Asker,
    "scant_sums_terms": SumsTerms,
    "scant_study_attribute": StudyAttribute,
    "scant_study_terms": StudyTerms,
    "scant_study_line": StudyLine,
    "scant_study_order": StudyOrder,
    "scant_study_answer": StudyAnswer,
    "scant_study_comparison": StudyComparison,
    "scant_study_status": StudyStatus,
    "scant_study_told": StudyTold,
    "scant_study_event": StudyEvent,
    "scant_study_traces": StudyTraces,
    "scant_study_proof": StudyProof,
    "scant_study_frozen": StudyFrozen,
    "scant_study_wait": StudyWait,
    "scant_study_outlook": StudyOutlook,
}
