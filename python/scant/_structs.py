"""The structs of scant.h, scant_sums.h and scant_study.h as ctypes sees them.

Names and order are those of the headers; tests compare the layouts with what a compiler says.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char, c_double, c_int, c_size_t, c_void_p
from typing import Any

_TYPES: dict[str, Any] = {
    "char": c_char,
    "text": ctypes.c_char_p,
    "int": c_int,
    "unsigned": ctypes.c_uint,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "size": c_size_t,
    "ssize": ctypes.c_ssize_t,
    "double": c_double,
    "pointer": c_void_p,
}


def _fields(declared: str, **own: Any) -> list[tuple[str, Any]]:
    """Fields declared as in C, "double low, high; uint32* places"; types that have no name here are given by field."""
    fields: list[tuple[str, Any]] = []
    for declaration in declared.split("; "):
        kind, _, names = declaration.partition(" ")
        if not names:
            fields.append((kind, own[kind]))
            continue
        made = POINTER(_TYPES[kind[:-1]]) if kind.endswith("*") else _TYPES[kind]
        fields += [(name, made) for name in names.split(", ")]
    return fields


class Error(Structure):
    _fields_ = _fields("text", text=c_char * 512)


class Option(Structure):
    _fields_ = _fields(
        "text name; char letter; int type; unsigned scope; text argument, preset, choices; double minimum, maximum; "
        "int or_auto, or_none; text help; size offset; char join"
    )


class Algorithm(Structure):
    _fields_ = _fields(
        "text name, title, look, estimate, update, options, presets; int strict, whole; uint32 least_k; text grid; int "
        "dense; text reference; int priced, joint, sums, role; text solver; int norm"
    )


class LookCall(Structure):
    _fields_ = _fields("uint32 order, group")


class LookLine(Structure):
    _fields_ = _fields(
        "uint32 attribute, item; int certain; uint32 draws, draws_total; double probability; uint32 residual_draws, "
        "residual_total; double residual_probability, inclusion"
    )


class Look(Structure):
    _fields_ = _fields(
        "uint64 learner, serial; uint32 count, draws, gradient_total, residual_total, calls; double gradient_scale, "
        "y_mean, intercept; uint32 sequence_count; size capacity, sequence_capacity; call; uint32* attributes, item, "
        "gradient_draws, residual_draws; double* gradient_probability, residual_probability, weight, mean; uint32* "
        "sequence",
        call=LookCall * 2,
    )


class Certificate(Structure):
    _fields_ = _fields("double kkt, gap, constraint, lambda_")


class Facts(Structure):
    _fields_ = _fields(
        "size dimension; uint64 told, k_gradient; double eta, penalty, expected_draws, risk, risk_error, scale, "
        "target_variance, likelihood; certificate",
        certificate=Certificate,
    )


class Ledger(Structure):
    _fields_ = _fields(
        "uint64 examples, distinct_examples, looks_drawn, attributes_bought, max_bought_per_example, money_spent, "
        "missing_cells, skipped_examples, refused_examples"
    )


class Column(Structure):
    _fields_ = _fields("int type; pointer data; ssize stride; pointer valid; size valid_start")


class Sparse(Structure):
    _fields_ = _fields("int by_column, type, index_type; pointer data, indices, starts")


class Prediction(Structure):
    _fields_ = _fields("double mean, low, high, variance")


# How much of a plan is done; another number than 0 stops it.
PlanProgress = CFUNCTYPE(c_int, c_void_p, c_double)


class PlanRequest(Structure):
    _fields_ = _fields(
        "pointer settings, model, pilot, prices; uint64* k; size k_count; int unit; uint64 budget, label_cost, "
        "examples; double reach; size runs; uint64 seed, threads; progress; pointer user",
        progress=PlanProgress,
    )


class PlanFacts(Structure):
    _fields_ = _fields(
        "size dimension, k_count, runs, steps, step, recommended; uint64 pilot_examples; size unknown; double "
        "variance, shown, shown_error, strength, strength_error, least, least_sd, limit, work; size "
        "recommended_budget; int worse_than_mean"
    )


class PlanEntry(Structure):
    _fields_ = _fields(
        "uint64 k; text algorithm; double examples, attributes, money, error, sd, r2, regret, regret_error; size "
        "reached; double reach_examples, reach_money, reach_low, reach_high"
    )


class PlanPoint(Structure):
    _fields_ = _fields("uint64 examples, attributes, money; double error")


class Offer(Structure):
    _fields_ = _fields("uint32 attribute; uint64 price; double variance, width, sure, moves")


class Stop(Structure):
    _fields_ = _fields("uint64 k, spend; double width, sure")


class StudyAttribute(Structure):
    _fields_ = _fields(
        "text name, unit; uint64 cost; double low, high; text group; int known; double usual_low, usual_high; int "
        "retired"
    )


class StudyTerms(Structure):
    _fields_ = _fields("text target, by, via, missing_reasons; int second_entry")


class StudyLine(Structure):
    _fields_ = _fields(
        "uint32 attribute; uint64 price; int state; double value, probability; text note; int second; double "
        "second_value; text second_note; uint32 item; int counted"
    )


class StudyTold(Structure):
    _fields_ = _fields("int64 attribute; double value; text note")


class StudyOrder(Structure):
    _fields_ = _fields(
        "uint64 number; text example; int state; uint64 price, spent; int has_y; double y; text asked_at, asked_by, "
        "reason; uint64 age; size count; lines; int second; double second_y; int second_needed; size extra_count; "
        "extras",
        lines=POINTER(StudyLine),
        extras=POINTER(StudyTold),
    )


class StudyForecast(Structure):
    _fields_ = _fields(
        "uint64 draws, least, most; double mean; uint64 attributes_most; double attributes_mean; uint64 left, "
        "attributes_left"
    )


class StudyAnswer(Structure):
    _fields_ = _fields("text name; double value; int missing; text note; int confirmed")


class StudyComparison(Structure):
    _fields_ = _fields("size agree, differ, once, same_hand")


class StudyStatus(Structure):
    _fields_ = _fields(
        "uint64 events, orders, open, learned, cancelled, expired, failed, erased; int unswept; uint64 differ, "
        "imported, attributes_bought, spent, reserved, budget_cost, budget, attributes_reserved; double risk, "
        "risk_error, mean_age; uint64 most_age"
    )


class StudyTraces(Structure):
    _fields_ = _fields(
        "uint64 events, orders, order, open; int imported; uint64 spent, refunded, attributes, looks, unknown, "
        "mentions; int unswept"
    )


class StudyEvent(Structure):
    _fields_ = _fields(
        "uint64 sequence; text at; int kind; text by, via; int erased; text example; uint64 order; int64 attributes, "
        "reserved, spent; text look, reason, change; int learned; size count; told; uint64 salt, digest, checksum",
        told=POINTER(StudyTold),
    )


class StudyProof(Structure):
    _fields_ = _fields("uint64 events, orders; int same_build, same_bits; double difference")


class StudyFrozen(Structure):
    _fields_ = _fields(
        "name; at; by; uint64 events, checksum; sha256",
        name=c_char * 204,
        at=c_char * 32,
        by=c_char * 204,
        sha256=c_char * 65,
    )


StudyStop = CFUNCTYPE(c_int, c_void_p)


class StudyWait(Structure):
    _fields_ = _fields("double seconds; stop; pointer user", stop=StudyStop)


class StudyOutlook(Structure):
    _fields_ = _fields("double error; uint64 k, learned; double examples, more; size runs, reached")


class SumsFacts(Structure):
    _fields_ = _fields("uint64 blocks, examples, cells, missing, memory; size dimension; int limited")


# What answers the request of who learns from sums.
Ask = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t), POINTER(Error))


class Asker(Structure):
    _fields_ = _fields("ask; pointer user", ask=Ask)


class SumsTerms(Structure):
    _fields_ = _fields(
        "text* names; text target; pointer low, high, two_values, prices; ledger; pointer purchases",
        ledger=POINTER(Ledger),
    )
