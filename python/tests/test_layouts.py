"""What ctypes is told of the library, against what a compiler makes of its headers."""

import ctypes
import re
import subprocess

import pytest

from scant import _library

# Each struct of the headers, and the one that is told to ctypes.
LAYOUTS = {
    "scant_error": _library.Error,
    "scant_option": _library.Option,
    "scant_algorithm": _library.Algorithm,
    "scant_look_call": _library.LookCall,
    "scant_look": _library.Look,
    "scant_look_line": _library.LookLine,
    "scant_learner_facts": _library.Facts,
    "scant_ledger": _library.Ledger,
    "scant_column": _library.Column,
    "scant_sparse": _library.Sparse,
    "scant_prediction": _library.Prediction,
    "scant_plan_request": _library.PlanRequest,
    "scant_plan_facts": _library.PlanFacts,
    "scant_plan_entry": _library.PlanEntry,
    "scant_plan_point": _library.PlanPoint,
    "scant_offer": _library.Offer,
    "scant_stop": _library.Stop,
    "scant_sums_facts": _library.SumsFacts,
    "scant_asker": _library.Asker,
    "scant_sums_terms": _library.SumsTerms,
    "scant_study_attribute": _library.StudyAttribute,
    "scant_study_terms": _library.StudyTerms,
    "scant_study_line": _library.StudyLine,
    "scant_study_order": _library.StudyOrder,
    "scant_study_answer": _library.StudyAnswer,
    "scant_study_comparison": _library.StudyComparison,
    "scant_study_status": _library.StudyStatus,
    "scant_study_told": _library.StudyTold,
    "scant_study_forecast": _library.StudyForecast,
    "scant_study_event": _library.StudyEvent,
    "scant_study_traces": _library.StudyTraces,
    "scant_study_proof": _library.StudyProof,
    "scant_study_frozen": _library.StudyFrozen,
    "scant_study_wait": _library.StudyWait,
    "scant_study_outlook": _library.StudyOutlook,
}


def test_structs(compiler, project, tmp_path):
    lines = []
    for name, layout in LAYOUTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        for field, _ in layout._fields_:
            at = f"offsetof(struct {name}, {field}), sizeof(((struct {name} *)0)->{field})"
            lines.append(f'printf("{name}.{field} %zu %zu\\n", {at});')
    program = (
        "#include <stdio.h>\n#include <scant_study.h>\n#include <scant_sums.h>\nint main(void) {\n"
        + "\n".join(lines)
        + "\nreturn 0;\n}\n"
    )
    (tmp_path / "layouts.c").write_text(program)
    folders = [f"-I{project / product / 'include'}" for product in ("core", "dense", "study")]
    built = [*compiler, *folders, tmp_path / "layouts.c", "-o", tmp_path / "layouts"]
    subprocess.run(built, check=True)
    said = subprocess.run([tmp_path / "layouts"], check=True, capture_output=True, text=True).stdout
    ours = ""
    for name, layout in LAYOUTS.items():
        ours += f"{name} {ctypes.sizeof(layout)}\n"
        for field, _ in layout._fields_:
            ours += f"{name}.{field} {getattr(layout, field).offset} {getattr(layout, field).size}\n"
    assert ours == said


def header(project):
    text = "".join(
        (project / name).read_text()
        for name in ("core/include/scant.h", "dense/include/scant_sums.h", "study/include/scant_study.h")
    )
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def test_every_field_is_there(project):
    """A field at the end that is not bound would leave the others where they are."""
    for name, layout in LAYOUTS.items():
        body = re.search(rf"struct {name} {{(.*?)}}", header(project), re.DOTALL).group(1)
        body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", body)  # a pointer to a function has commas of its own
        declared = [
            re.search(r"(\w+)\s*(?:\[\w+\])?$", part.strip()).group(1)
            for line in body.split(";")
            if line.strip()
            for part in line.split(",")
        ]
        assert [field for field, _ in layout._fields_] == declared, name


def declarations(project):
    """Each function of the header: what it returns, and its arguments."""
    found = re.findall(r"SCANT_API\s+([^;()]*?)(scant_\w+)\(([^;]*)\);", header(project))
    return {
        name: (" ".join(result.split()), [] if arguments.strip() == "void" else arguments.split(","))
        for result, name, arguments in found
    }


def bound():
    """The functions that the package binds, by their names."""
    functions = {}
    for library in (_library._brief, _library._long):
        for name, value in vars(library).items():
            if name.startswith("scant_") and not name.startswith("scant_python_"):
                functions[name] = value
    return functions


def test_functions_are_found():
    assert len(bound()) > 50


@pytest.mark.parametrize("name", sorted(bound()))
def test_arguments(project, name):
    result, arguments = declarations(project)[name]
    function = bound()[name]
    assert len(function.argtypes) == len(arguments)
    for given, declared in zip(function.argtypes, arguments, strict=True):
        pointer = "*" in declared or re.match(r"\s*scant_fetch ", declared)
        size = 8 if pointer else ctypes.sizeof(given)
        assert ctypes.sizeof(given) == size, declared
        if not pointer:
            assert ctypes.sizeof(given) == SIZES[declared.split()[-2]], declared
            assert (given is ctypes.c_double) == (declared.split()[-2] == "double"), declared
    if result == "void":
        assert function.restype is None
    elif result.endswith("*"):
        assert ctypes.sizeof(function.restype) == ctypes.sizeof(ctypes.c_void_p)
    else:
        assert ctypes.sizeof(function.restype) == SIZES[result]
        assert (function.restype is ctypes.c_double) == (result == "double")


SIZES = {
    "int": 4,
    "scant_status": 4,
    "scant_type": 4,
    "scant_curve_unit": 4,
    "scant_note": 4,
    "scant_fit_note": 4,
    "scant_model_note": 4,
    "scant_plan_note": 4,
    "scant_verdict": 4,
    "scant_study_mode": 4,
    "scant_study_end": 4,
    "scant_order_state": 4,
    "scant_line_state": 4,
    "scant_second_entry": 4,
    "scant_event_kind": 4,
    "double": 8,
    "uint32_t": 4,
    "uint64_t": 8,
    "size_t": ctypes.sizeof(ctypes.c_size_t),
    "ptrdiff_t": ctypes.sizeof(ctypes.c_ssize_t),
}


def test_codes(project):
    """Numbers that the package names itself: status, unit and type."""
    text = header(project)
    status = re.search(r"typedef enum scant_status {(.*?)}", text, re.DOTALL).group(1)
    names = [name.split("=")[0].strip() for name in status.split(",")]
    assert names.index("SCANT_IO") == _library.IO
    assert names.index("SCANT_SPENT") == _library.SPENT
    from scant import _errors

    kinds = ["", "Usage", "Data", "NoInput", "File", "OutOfMemory", "Misuse", "Budget", "StudyBusy", "ScantError"]
    assert len(kinds) == len(names)
    for number, kind in enumerate(kinds):
        assert type(_errors.failure(number, "x")).__name__.startswith(kind)
    units = re.search(r"typedef enum scant_curve_unit {(.*?)}", text, re.DOTALL).group(1)
    assert [name.strip() for name in units.split(",")].index("SCANT_CURVE_EXAMPLES") == _library.EXAMPLES
    notes = re.search(r"typedef enum scant_note {(.*?)}", text, re.DOTALL).group(1)
    assert re.findall(r"SCANT_NOTE_\w+", notes).index("SCANT_NOTE_ABSENT") == _library.ABSENT
    types = re.search(r"typedef enum scant_type {(.*?)}", text, re.DOTALL).group(1)
    words = {"f": "FLOAT", "u": "UINT", "i": "INT"}
    ours = {f"SCANT_{words[code[0]]}{8 * int(code[1])}": number for code, number in _library.TYPES.items()}
    assert ours == {name.strip(): number for number, name in enumerate(types.split(","))}
