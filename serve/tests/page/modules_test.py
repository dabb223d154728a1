"""The small modules on their own, in the browser that runs them."""

import pathlib
import re

PAGE = pathlib.Path(__file__).parents[2] / "page"


def open_page(world):
    one = world.person(world.clinic(), "ben")
    one.open()
    return one.page


def test_numbers_as_people_write_them(world):
    page = open_page(world)
    read = {
        "5.4": 5.4, "5,4": 5.4, " 5,4 ": 5.4, "-0,5": -0.5, "−0,5": -0.5, "–3": -3, ",5": 0.5, "5.": 5, "+7": 7, "1e3": 1000, "1,5E-3": 0.0015,
        "12 000": None, "12\u00a0000,5": None, "1 2": None, "- 5": None, "0": 0, "007": 7,
        "1.234,5": None, "1,234.5": None, "1,2,3": None, "5,4!": None, "abc": None, "0x10": None, "1e": None, "Infinity": None, "NaN": None, "--5": None,
        "1e999": None, ".": None, "5 mmol": None,
    }
    found = page.evaluate("async texts => { const {readNumber} = await import('./numbers.js'); return texts.map(readNumber); }", list(read))
    for (text, wanted), got in zip(read.items(), found):
        assert got.get("value") == wanted and ("error" in got) == (wanted is None), (text, wanted, got)
    assert page.evaluate("async () => (await import('./numbers.js')).readNumber('  ').empty")
    # What is shown as it was typed needs no word; everything else is said.
    said = {"5.4": False, "1200": False, "-5": False, "−5": False, "5,4": True, "1.200": True, "007": True, "1e3": True, "5.": True}
    found = page.evaluate("async texts => { const {readNumber} = await import('./numbers.js'); return texts.map(readNumber); }", list(said))
    assert [one["said"] for one in found] == list(said.values()), found


def test_limits_are_the_services(world):
    page = open_page(world)
    judged = page.evaluate("""async () => {
        const {judge} = await import('./numbers.js');
        const limits = {low: 0, high: 60, usual_low: 3, usual_high: 20};
        return [-0.1, 0, 2.9, 3, 20, 20.1, 60, 60.1].map(x => judge(x, limits)).concat(judge(1e9, {low: null, high: null}), judge(-1, {low: 0}), judge(9, {usual_high: 8}));
    }""")
    assert judged == ["refused", "unusual", "unusual", "", "", "unusual", "unusual", "refused", "", "refused", "unusual"], judged


def test_numbers_read_back(world):
    """What is shown of a number is read as the same number."""
    page = open_page(world)
    wrong = page.evaluate("""async () => {
        const {readNumber, showNumber} = await import('./numbers.js');
        const all = [0, 0.1, -0.1, 5.4, 1e-7, 123456789.125, 1e21, 2 ** 53, -1e-300, 0.1 + 0.2];
        return all.filter(x => readNumber(showNumber(x)).value !== x);
    }""")
    assert wrong == [], wrong


def test_barcodes(world):
    """Code 128: every sign has three bars and three gaps over 11 modules, bars of an even width, and no two are alike; the check
    of PJJ123C, known from set A to be 54, is one more in set B, whose start is one more."""
    page = open_page(world)
    code = page.evaluate("async () => { const {encode} = await import('./sheets.js'); return encode('PJJ123C'); }")
    assert len(code) == 6 * 9 + 7 and code.endswith("2331112") and code.startswith("211214"), code
    all_signs = page.evaluate("""async () => { const {encode} = await import('./sheets.js');
        return Array.from({length: 95}, (_, i) => encode(String.fromCharCode(32 + i)).slice(6, 12)); }""")
    assert len(set(all_signs)) == 95
    for sign in all_signs:
        widths = [int(c) for c in sign]
        assert sum(widths) == 11 and sum(widths[::2]) % 2 == 0, sign
    assert code[-13:-7] == all_signs[55], code
    assert page.evaluate("async () => { const {fits} = await import('./sheets.js'); return [fits('P-101'), fits('Pä'), fits('x'.repeat(25))]; }") == [True, False, False]


def test_every_word_is_there_and_used(world):
    page = open_page(world)
    keys = page.evaluate("""async () => {
        const words = (await import('./words/en.js')).default.texts;
        const plural = ['one', 'other'];
        const walk = (at, path) => typeof at === 'string' || Object.keys(at).every(k => plural.includes(k)) ? [path] :
            Object.entries(at).flatMap(([k, v]) => walk(v, path ? path + '.' + k : k));
        return walk(words, '');
    }""")
    text = "\n".join(path.read_text() for path in PAGE.glob("*.js"))
    asked = set(re.findall(r'\bt\(\s*"([^"]+)"', text))
    assert asked <= set(keys), asked - set(keys)
    # Some are put together: t(`views.${view}`), or chosen between two.
    stems = set(re.findall(r"\bt\(\s*`([\w.]+)\.\$", text)) | set(re.findall(r'\bword\("(\w+)"', text))
    stems |= {"sheets", "labels"}  # t(`${kind}.title`)
    stems |= {stem for stem in re.findall(r"`([\w.]+)\.\$\{", text)}
    quoted = set(re.findall(r'"([\w.]+)"', text))
    unused = [key for key in keys if key not in quoted and not any(key.startswith(stem + ".") for stem in stems)]
    assert not unused, unused


def test_every_file_is_named(world):
    named = set(re.findall(r"'([\w./]+)',", (PAGE / "meson.build").read_text()))
    there = {str(path.relative_to(PAGE)) for path in PAGE.rglob("*") if path.is_file() and path.name != "meson.build"}
    assert named == there, named ^ there


def test_nothing_is_inline(world):
    html = (PAGE / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|style=|javascript:", html), html
    for path in PAGE.rglob("*.js"):
        text = path.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://(?!www\.w3\.org/2000/svg)", text), path
