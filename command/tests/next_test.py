"""scant next, and the rules that stop predict and eval, recomputed here from the Gaussian in the model file."""
import csv as tables
import io
import json
import math
import random

from few_test import KNOWN, NORMAL_90, Gaussian, whole_and_punched
from support import DATA, DIMENSION, NO_INPUT, USAGE, CommandTest, csv, sealed

COSTS = [0, 5, 1, 0, 2, 9, 3, 1, 4, 0, 7, 2, 2, 6, 1, 1]
GROUPS = {"p": (1, 2, 3), "q": (8, 9, 10)}
ITEMS = [*GROUPS.values(), *((j,) for j in range(DIMENSION) if not any(j in g for g in GROUPS.values()))]


class Buyer:
    """The greedy loop with rules, from dense linear algebra at every step."""

    def __init__(self, gaussian, priced):
        self.g, self.priced = gaussian, priced
        self.items = ITEMS if priced else [(j,) for j in range(DIMENSION)]

    def price(self, item):
        return sum(COSTS[j] for j in item) if self.priced else 0

    def places(self, names):
        return [i for i, j in enumerate(KNOWN) if j in names]

    def offers(self, asked, known):
        """(free, worth, item, variance after), best first."""
        now, found = self.g.variance(self.places(known))[0], []
        for item in self.items:
            new = [j for j in item if j in KNOWN and j not in asked]
            after = self.g.variance(self.places(known | set(new)))[0]
            if new and now - after > 1e-11 * self.g.s[-1][-1]:
                price = 0 if asked & set(item) else self.price(item)
                found.append((self.priced and not price, (now - after) / (price or 1), item, after, price))
        return sorted(found, key=lambda o: o[:2], reverse=True)

    def sure(self, x, known):
        a, b = self.g.values
        p = (self.g.expect({j: x[j] for j in known})[0] - a) / (b - a)
        return max(p, 1 - p)

    def width(self, x, known):
        return 2 * NORMAL_90 * math.sqrt(self.g.expect({j: x[j] for j in known})[1])

    def run(self, x, k=None, spend=None, width=None, sure=None, have=()):
        asked, money, bought, order = set(), 0, 0, []
        for item in self.items:
            asked |= set(item) if set(item) & set(have) else set()
        known = {j for j in asked if not math.isnan(x[j])}
        while True:
            offers = self.offers(asked, known)
            fits = [o for o in offers if spend is None or money + o[4] <= spend]
            if not (fits and fits[0][0]):
                why = ("sure" if sure and self.sure(x, known) >= sure else
                       "width" if width and self.width(x, known) <= width else
                       ("spend" if offers else "nothing") if not fits else "k" if k and bought == k else None)
                if why:
                    return known, order, bought, money, why
            item = fits[0][2]
            bought += not fits[0][0]
            money += self.price(item)
            order += item
            asked |= set(item)
            known |= {j for j in item if not math.isnan(x[j])}


class Next(CommandTest):
    def setUp(self):
        super().setUp()
        self.table, self.other = whole_and_punched()
        group = {j: name for name, members in GROUPS.items() for j in members}
        self.write("costs.csv", "attribute,cost,group\n" +
                   "".join(f"a{j},{c},{group.get(j, '')}\n" for j, c in enumerate(COSTS)))
        self.make()

    def make(self, two_valued=False):
        if two_valued:
            for t in (self.table, self.other):
                t.with_labels(-1, 1)
        self.write("data.csv", self.table.csv())
        self.write("other.csv", self.other.csv().replace("nan", ""))
        self.fit("data.csv", "--algorithm", "auto", "-k", "4", model="plain.json")
        self.gaussian = Gaussian(self.table)
        self.gaussian.values = [-1, 1] if two_valued else None
        plain = self.model("plain.json")
        self.gaussian.low, self.gaussian.high = plain["low"], plain["high"]
        self.write("model.json", sealed({**plain, "gaussian": self.gaussian.fields()}))

    def test_next_says_when_to_stop(self):
        said = self.succeeds("next", "model.json", "a0=0", "--json").json
        self.assertIsNone(said["stop"])
        for share, stops in ((1.001, "width"), (0.999, None)):
            rule = ["--until-width", repr(share * said["width"])]
            found = self.succeeds("next", "model.json", "a0=0", "--json", *rule).json
            self.assertEqual((found["stop"], found["next"] is None), (stops, stops is not None))
            self.assertEqual("narrow enough" in self.succeeds("next", "model.json", "a0=0", *rule).out, stops is not None)
        self.refuses(USAGE, ["--spend", "costs"], "next", "model.json", "--spend", "3")
        self.refuses(USAGE, "two decimals", "next", "model.json", "--spend", "0.123")
        self.refuses(USAGE, "two values", "next", "model.json", "--until-sure", "0.9")
        offers = self.succeeds("next", "model.json", "--costs", "costs.csv", "--top", "99", "--json").json["offers"]
        paid = sorted(o["price"] for o in offers if o["price"])
        found = self.succeeds("next", "model.json", "--costs", "costs.csv", "--top", "99", "--json", "--spend", str(paid[0])).json
        self.assertEqual([o["attribute"] for o in found["offers"]], [o["attribute"] for o in offers if o["price"] <= paid[0]])
        self.make(two_valued=True)
        sure = self.succeeds("next", "model.json", "a0=1", "--json").json["probability"]
        for share, stops in ((0.999, "sure"), (1.001, None)):
            found = self.succeeds("next", "model.json", "a0=1", "--json", "--until-sure", repr(share * sure)).json
            self.assertEqual(found["stop"], stops)

    def test_those_that_bought_nothing_count_as_examples(self):
        """Where a0 is there the interval is narrow enough."""
        width = self.succeeds("next", "model.json", "a0=0", "--json").json["width"]
        rule = ["--until-width", repr(1.0001 * width), "--have", "a0"]
        lists = [p["bought"] for p in self.succeeds("predict", "model.json", "other.csv", *rule, "--json").json["predictions"]]
        bought = [sum(b["attribute"] != "a0" for b in one) for one in lists]
        self.assertTrue(0 < sum(n == 0 for n in bought) < 25)
        ledger = self.succeeds("eval", "model.json", "other.csv", *rule).out
        self.assertIn(f"25 examples, {sum(bought)} attributes bought ({sum(bought) / 25:.4g} of", ledger)

    def names(self, attributes):
        return [self.table.names[j] for j in attributes]

    # ---- next ------------------------------------------------------------------

    def test_next_says_what_would_be_narrowest_per_cost(self):
        x = self.other.x[0]
        for priced in (False, True):
            costs, buyer = ["--costs", "costs.csv"] if priced else [], Buyer(self.gaussian, priced)
            words, asked, known = [], set(), set()
            while True:
                printed = self.succeeds("next", "model.json", *words, *costs, "--json", "--top", "99").json
                offers = buyer.offers(asked, known)
                mean, variance = self.gaussian.expect({j: x[j] for j in known})
                self.assertAlmostEqual(printed["mean"], mean, delta=1e-9)
                self.assertAlmostEqual(printed["width"], 2 * NORMAL_90 * math.sqrt(variance), delta=1e-9)
                self.assertAlmostEqual(printed["high"] - mean, printed["width"] / 2, delta=1e-9)
                self.assertEqual([set(o["attributes"]) for o in printed["offers"]],
                                 [set(self.names(j for j in o[2] if j not in asked)) for o in offers])
                for o, (_, _, item, after, price) in zip(printed["offers"], offers):
                    after += self.gaussian.excess * (self.gaussian.s[-1][-1] - after)
                    self.assertAlmostEqual(o["width"], 2 * NORMAL_90 * math.sqrt(after), delta=1e-9)
                    self.assertAlmostEqual(o["variance"], after, delta=1e-9)
                    self.assertIn(o["attribute"], self.names(item))
                    self.assertEqual(o.get("price"), price if priced else None)
                self.assertEqual(printed["next"], (printed["offers"] or [None])[0])
                if not offers:
                    break
                for name in printed["next"]["attributes"]:
                    j = self.table.names.index(name)
                    asked.add(j)
                    known |= set() if math.isnan(x[j]) else {j}
                    words.append(f"{name}={random.choice(['', 'NA', '?']) if math.isnan(x[j]) else x[j]}")
            self.assertIn("buy nothing", self.succeeds("next", "model.json", *words, *costs).out)

    def test_the_words_are_those_of_the_json(self):
        words = ["next", "model.json", "a0=1", "--costs", "costs.csv", "--top", "4"]
        printed, out = self.succeeds(*words, "--json").json, self.succeeds(*words).out
        lines = out.splitlines()
        self.assertEqual(lines[0].split()[1], f"{printed['mean']:.6g}")
        self.assertIn(f"{printed['low']:.6g} to {printed['high']:.6g}, with probability 0.9", lines[1])
        self.assertIn(printed["next"]["attribute"], lines[2])
        self.assertIn(f"{printed['next']['width']:.6g} wide, and {printed['width']:.6g} now", lines[3])
        self.assertEqual(len(lines), 6 + len(printed["offers"]))
        self.assertNotIn("offers", self.succeeds("next", "model.json", "--json").json)

    def test_two_values_have_a_probability(self):
        self.make(two_valued=True)
        x, words, known = self.other.x[2], [], set()
        for step in range(4):
            printed = self.succeeds("next", "model.json", *words, "--json").json
            mean, _ = self.gaussian.expect({j: x[j] for j in known})
            p = (mean + 1) / 2
            self.assertAlmostEqual(printed["probability"], max(p, 1 - p), delta=1e-9)
            self.assertEqual(printed["value"], 1 if p >= 0.5 else -1)
            self.assertGreaterEqual(printed["next"]["probability"], printed["probability"])
            self.assertGreater(printed["next"]["moves"], 0)
            self.assertNotIn("width", printed["next"])
            out = self.succeeds("next", "model.json", *words, "--top", "2").out
            self.assertIn(f"{printed['value']:g} with probability {printed['probability']:.4g}", out)
            self.assertIn("moves by", out)
            j = self.table.names.index(printed["next"]["attribute"])
            known |= set() if math.isnan(x[j]) else {j}
            words.append(f"a{j}={'' if math.isnan(x[j]) else x[j]}")

    def test_classes_have_their_names(self):
        draw = random.Random(2)
        rows = [[draw.gauss(0, 1), draw.gauss(0, 1)] for _ in range(80)]
        lines = [[*x, "ill" if x[0] + 0.5 * x[1] + 0.3 * draw.gauss(0, 1) > 0 else "well"] for x in rows]
        self.write("ill.csv", csv(["a", "b", "state"], lines))
        self.succeeds("fit", "ill.csv", "--classes", "well, ill", "--algorithm", "gaussian", "--observed", "-q", "-o", "ill.json")
        for words, label, value in ((["a=2"], "ill", 1), (["a=-2"], "well", -1)):
            printed = self.succeeds("next", "ill.json", *words, "--json").json
            self.assertEqual((printed["class"], printed["value"]), (label, value))
            self.assertIn(f"; {label} with probability 0.", self.succeeds("next", "ill.json", *words).out)
        printed = self.succeeds("predict", "ill.json", "ill.csv", "--until-sure", "0.8", "--json").json["predictions"]
        self.assertEqual({(p["class"], p["value"]) for p in printed}, {("ill", 1), ("well", -1)})

    def test_bad_values_are_refused(self):
        for word, says in (("a99=1", ["'a99'", "nearest name is 'a9'"]), ("A3=1", "nearest name is 'a3'"), ("a1", "NAME=VALUE"),
                           ("a1=x", ["a1", "'x' is not a number"]), ("a1=inf", "not a number"), ("=3", "no attribute ''")):
            self.refuses(DATA, says, "next", "model.json", "a2=1", word)
        self.refuses(USAGE, "'a1' was told already", "next", "model.json", "a1=1", "a1=")
        self.write("same.csv", csv(["a", "b", "y"], [[i % 3, i % 5, 7] for i in range(30)]))
        self.succeeds("fit", "same.csv", "--algorithm", "gaussian", "-k", "2", "-q", "-o", "same.json")
        self.refuses(USAGE, ["examples whose targets differ", "of gaussian, has none"], "next", "same.json")
        self.refuses(USAGE, ["algorithm gaussian", "of auto"], "next", "plain.json")
        self.refuses(NO_INPUT, "absent", "next", "absent.json", "a1=1")
        self.refuses(NO_INPUT, "absent.csv", "next", "model.json", "--costs", "absent.csv")
        self.write("few.csv", "attribute,cost\na0,1\n")
        self.refuses(DATA, "no cost of attribute 'a1'", "next", "model.json", "--costs", "few.csv")
        for words in (["--interval", "1"], ["--interval", "0"], ["--top", "0"], ["--top", "x"], ["--spend", "3"]):
            self.refuses(USAGE, words[0].lstrip("-"), "next", "model.json", *words)
        self.assertEqual(self.succeeds("next", "model.json", "a1=", "a4=nan").code, 0)

    def test_columns_of_words(self):
        draw = random.Random(1)
        rows = [[draw.choice(["red", "green", "blue"]), draw.gauss(0, 1)] for _ in range(120)]
        lines = [[w, x, (w == "red") + 0.3 * x + 0.1 * draw.gauss(0, 1)] for w, x in rows]
        self.write("words.csv", csv(["colour", "x", "y"], lines))
        self.write("prices.csv", "attribute,cost\ncolour,3\nx,1\n")
        self.succeeds("fit", "words.csv", "--one-hot", "colour", "--algorithm", "gaussian", "--observed", "-q", "-o", "w.json")
        self.write("new.csv", "colour,x\nred,0.5\npink,0.5\n,0.5\n")
        wanted = self.succeeds("predict", "w.json", "new.csv", "--interval", "0.9").out.splitlines()[1:]
        for word, line in zip(("red", "pink", ""), wanted):
            result = self.run_command("next", "w.json", f"colour={word}", "x=0.5", "--json")
            self.assertEqual(result.code, 0)
            self.assertEqual("colour=pink" in result.err, word == "pink")
            found = json.loads(result.out)
            for value, name in zip(map(float, line.split(",")), ("mean", "low", "high")):
                self.assertAlmostEqual(found[name], value, delta=1e-9)
        out = self.succeeds("next", "w.json", "--costs", "prices.csv", "--top", "2").out
        self.assertRegex(out, r"(?m)^ *\S+ +3\.00  colour$")
        same = self.succeeds("next", "w.json", "colour=red=1", "colour=blue=0", "colour=green=0", "--json").json
        self.assertAlmostEqual(same["mean"], self.succeeds("next", "w.json", "colour=red", "--json").json["mean"], delta=1e-9)
        self.assertIn("stopped by: nothing 3", self.succeeds("predict", "w.json", "new.csv", "-k", "1", "--have", "colour").err)
        self.refuses(DATA, "nearest name is 'colour'", "predict", "w.json", "new.csv", "-k", "1", "--have", "color")

    def test_columns_of_words_with_an_equal_sign(self):
        draw = random.Random(1)
        rows = [[draw.choice(["red", "green", "blue"]), draw.gauss(0, 1)] for _ in range(120)]
        self.write("words.csv", csv(["a=b", "x", "y"], [[w, x, (w == "red") + 0.3 * x] for w, x in rows]))
        self.write("prices.csv", "attribute,cost\na=b,3\nx,1\n")
        self.succeeds("fit", "words.csv", "--one-hot", "a=b", "--algorithm", "gaussian", "--observed", "-q", "-o", "w.json")
        self.assertRegex(self.succeeds("next", "w.json", "--costs", "prices.csv", "--top", "2").out, r"(?m)^ *\S+ +3\.00  a=b$")
        self.assertEqual(self.succeeds("next", "w.json", "a=b=red", "--json").err, "")

    # ---- predict and eval --------------------------------------------------------

    def rule_sets(self, two_valued):
        width = 2 * NORMAL_90 * math.sqrt(self.gaussian.s[-1][-1])
        rules = [(False, {"k": 3}, []), (False, {"width": 0.8 * width}, ["a4"]), (True, {"spend": 7}, []),
                 (True, {"spend": 12, "k": 3, "width": 0.7 * width}, ["a1", "a5"])]
        if two_valued:
            rules = [(p, {"sure": s, **more}, have) for (p, more, have), s in zip(rules, (0.7, 0.8, 0.9, 0.95))]
            for _, rule, _ in rules:
                rule.pop("width", None)
        return rules

    def words(self, priced, rule, have):
        flags = {"k": "-k", "spend": "--spend", "width": "--until-width", "sure": "--until-sure"}
        return ([w for name, value in rule.items() for w in (flags[name], repr(value))] +
                (["--costs", "costs.csv"] if priced else []) + (["--have", ",".join(have)] if have else []))

    def check_rules(self, two_valued):
        stopped = set()
        for priced, rule, have in self.rule_sets(two_valued):
            with self.subTest(rule=rule, priced=priced):
                words = self.words(priced, rule, have)
                buyer = Buyer(self.gaussian, priced)
                runs = [buyer.run(x, **rule, have=[self.table.names.index(n) for n in have]) for x in self.other.x]
                printed = self.succeeds("predict", "model.json", "other.csv", *words, "--interval", "0.9", "--json").json
                for p, x, (known, order, bought, money, why) in zip(printed["predictions"], self.other.x, runs):
                    self.assertAlmostEqual(p["mean"], self.gaussian.expect({j: x[j] for j in known})[0], delta=1e-9)
                    self.assertEqual([b["attribute"] for b in p["bought"]], self.names(order))
                    self.assertEqual([b["value"] for b in p["bought"]], [None if math.isnan(x[j]) else x[j] for j in order])
                    self.assertEqual((p.get("spent"), p["stopped"]), (money if priced else None, why))
                    if priced:
                        self.assertEqual([b["price"] for b in p["bought"]], [COSTS[j] for j in order])
                        self.assertLessEqual(p["spent"], rule.get("spend", math.inf))
                    stopped.add(why)
                self.assertEqual(printed["attributes_bought"], sum(r[2] for r in runs))
                self.check_csv(words, printed, priced, two_valued)
                self.check_eval(words, printed, runs, priced, two_valued)
        return stopped

    def check_csv(self, words, printed, priced, two_valued):
        result = self.succeeds("predict", "model.json", "other.csv", *words, "--interval", "0.9", "--bought")
        lines = list(tables.DictReader(io.StringIO(result.out)))
        for line, p in zip(lines, printed["predictions"]):
            for name in ["mean", "low", "high"] + (["value", "probability"] if two_valued else []):
                self.assertEqual(float(line[name]), p[name])
            self.assertEqual(line["bought"], ";".join(b["attribute"] for b in p["bought"]))
            self.assertEqual(line["stopped"], p["stopped"])
            if priced:
                self.assertEqual(float(line["spent"]), p["spent"])
        self.assertEqual(len(lines), 25)
        plain = self.succeeds("predict", "model.json", "other.csv", *words, "--interval", "0.9")
        self.assertEqual(plain.out.splitlines(), ["mean,low,high", *(",".join([r["mean"], r["low"], r["high"]]) for r in lines)])
        self.assertIn("stopped by: " if len(words) > 2 else "bought", plain.err)

    def check_eval(self, words, printed, runs, priced, two_valued):
        scored = self.succeeds("eval", "model.json", "other.csv", *words, "--interval", "0.9", "--json").json
        if "stopped" not in scored:  # -k alone is the curve
            self.assertEqual(words[0::2], ["-k"])
            return
        n, predictions = 25, printed["predictions"]
        covered = [p["low"] <= y <= p["high"] for p, y in zip(predictions, self.other.y)]
        self.assertAlmostEqual(scored["squared_error"],
                               math.fsum((p["mean"] - y) ** 2 for p, y in zip(predictions, self.other.y)) / n, delta=1e-9)
        self.assertAlmostEqual(scored["bought"], sum(r[2] for r in runs) / n)
        self.assertAlmostEqual(scored["coverage"], sum(covered) / n)
        for by in scored["stopped"]:
            rows = [i for i, p in enumerate(predictions) if p["stopped"] == by["by"]]
            self.assertEqual((by["examples"], by["share"]), (len(rows), len(rows) / n))
            self.assertAlmostEqual(by["coverage"], sum(covered[i] for i in rows) / len(rows))
            self.assertAlmostEqual(by["bought"], sum(runs[i][2] for i in rows) / len(rows))
            if priced:
                self.assertAlmostEqual(by["money"], sum(runs[i][3] for i in rows) / len(rows))
            if two_valued:
                self.assertAlmostEqual(by["right"], sum(predictions[i]["value"] == self.other.y[i] for i in rows) / len(rows))
        self.assertEqual(sum(by["examples"] for by in scored["stopped"]), n)
        if two_valued:
            self.assertAlmostEqual(scored["probability"], sum(p["probability"] for p in predictions) / n)
        out = self.succeeds("eval", "model.json", "other.csv", *words, "--interval", "0.9").out
        names = [line.split()[0] for line in out.split("stopped by")[1].splitlines()[1:]]
        self.assertEqual(names, [by["by"] for by in scored["stopped"]] + ["all"])

    def test_rules_stop_as_the_loop_here_does(self):
        self.assertEqual(self.check_rules(False), {"k", "width", "spend"})

    def test_sure_stops_by_the_values(self):
        self.make(two_valued=True)
        self.assertLessEqual({"sure"}, self.check_rules(True))

    def test_the_level_of_a_width_is_that_of_the_interval_or_nine_tenths(self):
        one = self.succeeds("predict", "model.json", "other.csv", "--until-width", "2.5", "--bought")
        other = self.succeeds("predict", "model.json", "other.csv", "--until-width", "2.5", "--bought", "--interval", "0.9")
        narrow = self.succeeds("predict", "model.json", "other.csv", "--until-width", "2.5", "--bought", "--interval", "0.5")
        self.assertEqual((one.out, one.err), (other.out, other.err))
        self.assertNotEqual(one.out, narrow.out)
        self.assertTrue(one.out.startswith("mean,low,high,bought,stopped\n"))

    def test_json_of_other_predictions(self):
        for words in ([], ["--interval", "0.9"]):
            lines = [list(map(float, line.split(","))) for line in
                     self.succeeds("predict", "model.json", "other.csv", *words).out.splitlines() if line[0] != "m"]
            printed = self.succeeds("predict", "model.json", "other.csv", *words, "--json").json
            self.assertEqual([list(p.values()) for p in printed["predictions"]], lines)
            self.succeeds("predict", "model.json", "other.csv", *words, "--json", "-o", "out.json")
            self.assertEqual(json.loads(self.read("out.json")), printed)

    def test_bad_rules_are_refused(self):
        for command in ("predict", "eval"):
            for words, says in ((["--spend", "0"], "spend"), (["--spend", "1.234"], "two decimals"), (["--spend", "x"], "spend"),
                                (["--until-width", "0"], "until-width"), (["--until-width", "-1"], "until-width"),
                                (["--until-sure", "0.5"], "until-sure"), (["--until-sure", "1"], "until-sure"),
                                (["--have", "a1"], "--have needs -k"), (["--spend", "3"], "--spend needs costs"),
                                (["--until-sure", "0.9"], "two values")):
                self.refuses(USAGE, says, command, "model.json", "other.csv", *words)
            self.refuses(USAGE, ["algorithm gaussian", "of auto"], command, "plain.json", "other.csv", "--until-width", "3")
            self.refuses(DATA, "nearest name is 'a1'", command, "model.json", "other.csv", "-k", "2", "--have", "a1,b1")
            self.refuses(DATA, "k = 17", command, "model.json", "other.csv", "-k", "17", "--until-width", "3")
        self.refuses(USAGE, "--bought needs -k", "predict", "model.json", "other.csv", "--bought")
        self.refuses(USAGE, "--json", "predict", "model.json", "other.csv", "-k", "2", "--bought", "--json")
