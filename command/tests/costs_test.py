"""--costs, --spend, --budget-cost and --no-thrift: the ledger in money, recomputed
from the purchases and the file of costs; limits; and files that are refused."""
import json
import re
from decimal import Decimal

from support import (DATA, DIMENSION, NO_INPUT, USAGE, CommandTest, Table, csv, gz, npy, sealed)

FREE = (0, 5)
PANELS = {"lipids": (1, 2, 3), "blood": (8, 9)}
COSTS = ["0", "1", "2.5", "0.25", "4", "0.00", "10", "3.99", "0.01", "20", "1e1", "7", "6", "5", "2", "1.10"]
STOPPED = ("auto", "ridge", "lasso")
GAUSSIAN = ("--algorithm", "gaussian")


def hundredths(text):
    return int(Decimal(text) * 100)


def cost_file(grouped=True, names=None, costs=COSTS, end="\n"):
    group = {i: name for name, members in PANELS.items() for i in members} if grouped else {}
    lines = ["attribute,cost,group" if grouped else "attribute,cost"]
    for i, cost in reversed(list(enumerate(costs))):
        name = names[i] if names else f"a{i}"
        lines.append(f"{name},{cost},{group.get(i, '')}" if grouped else f"{name},{cost}")
    return end.join(lines) + end


def items_of(grouped=True):
    """Each item as a tuple of attributes."""
    panels = list(PANELS.values()) if grouped else []
    grouped_ones = {i for p in panels for i in p}
    return panels + [(i,) for i in range(DIMENSION) if i not in grouped_ones]


class Costs(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Table(80, DIMENSION)
        self.write("data.csv", self.table.csv())
        self.write("costs.csv", cost_file())
        self.write("single.csv", cost_file(grouped=False))

    def check_ledger(self, printed, model, grouped=True):
        """Every field that follows from the purchases and the file of costs."""
        ledger, purchases, bought, money, most_items = model["ledger"], model["purchases"], 0, 0, 0
        self.assertEqual(model["costs"], [hundredths(c) for c in COSTS])
        for item in items_of(grouped):
            counts = {purchases[i] for i in item}
            self.assertEqual(len(counts), 1, f"a panel is bought whole: {item}")
            price = sum(hundredths(COSTS[i]) for i in item)
            bought += max(counts) if price else 0
            money += max(counts) * price
            most_items += price > 0
        self.assertEqual(ledger["attributes_bought"], bought)
        self.assertEqual(ledger["money_spent"], money)
        self.assertEqual(printed["attributes_bought"], bought)
        self.assertEqual(round(100 * printed["money_spent"]), money)
        self.assertEqual(printed["examples"], ledger["examples"])
        self.assertEqual(printed["looks_drawn"], ledger["looks_drawn"])
        self.assertAlmostEqual(printed["mean_bought_per_example"], bought / max(1, ledger["distinct_examples"]))
        self.assertGreaterEqual(ledger["looks_drawn"], bought)
        strict = model["settings"]["algorithm"] not in ("coinflip", "aesvr")
        most = most_items * model["settings"]["passes"]
        self.assertLessEqual(ledger["max_bought_per_example"], min(most, model["settings"]["k"]) if strict else most)
        self.assertGreaterEqual(ledger["max_bought_per_example"] * ledger["distinct_examples"], bought)
        if "spend" in model["settings"] and model["settings"]["spend"]:
            self.assertLessEqual(money, 100 * model["settings"]["spend"] * ledger["distinct_examples"])
        if model["settings"]["budget_cost"]:
            self.assertLessEqual(money, 100 * model["settings"]["budget_cost"])
        return money

    # ---- the ledger ------------------------------------------------------

    def test_the_ledger_adds_up_for_rows_that_follow_prices(self):
        for row in STOPPED:
            for words in ("-k 4", "-k 4 --no-thrift", "--spend 40", "-k 6 --spend 121 --passes 3",
                          "-k 8 --spend 90.01 --passes 2", "-k 3 --budget-cost 200.05", "-k 16", "--spend 500"):
                with self.subTest(algorithm=row, words=words):
                    printed, model = self.fit("data.csv", "--costs", "costs.csv", "--algorithm", row, *words.split())
                    self.check_ledger(printed, model)
                    for i in FREE:
                        self.assertEqual(model["purchases"][i], model["ledger"]["examples"])
                    if "budget" not in words:
                        self.assertEqual(printed["examples"], 80 * model["settings"]["passes"])
                        self.assertFalse(printed["budget_spent"])

    def test_the_ledger_adds_up_for_gaussian(self):
        for words in ("-k 4", "-k 4 --no-thrift", "--spend 40", "-k 6 --spend 44", "-k 3 --budget-cost 200.05", "-k 16",
                      "--spend 500", "--spend 40 --no-thrift", "--spend 50 --budget-cost 900"):
            with self.subTest(words=words):
                printed, model = self.fit("data.csv", "--costs", "costs.csv", *GAUSSIAN, *words.split())
                money = self.check_ledger(printed, model)
                ledger = model["ledger"]
                for i in FREE:
                    self.assertEqual(model["purchases"][i], ledger["examples"])
                # a look is what was bought for something, and what is free
                self.assertEqual(ledger["looks_drawn"], ledger["attributes_bought"] + len(FREE) * ledger["examples"])
                if "budget" not in words:
                    self.assertEqual(printed["examples"], 80)
                if words == "--spend 500":
                    self.assertEqual(model["purchases"], [80] * DIMENSION)
                if words.startswith("--spend 40"):
                    self.assertGreater(money, 80 * 3000)  # what is left would pay for hardly anything

    def test_gaussian_without_costs_takes_no_money(self):
        self.refuses(USAGE, "--costs", "fit", "data.csv", *GAUSSIAN, "--spend", "40")
        self.refuses(USAGE, "--costs", "fit", "data.csv", *GAUSSIAN, "-k", "4", "--no-thrift")
        self.refuses(DATA, ["spend 30", "dearest"], "fit", "data.csv", "--algorithm", "auto", "--costs", "costs.csv",
                     "--spend", "30")
        for words in (["--spend", "40"], ["--no-thrift"]):
            self.refuses(USAGE, ["observed", words[0].removeprefix("--")], "fit", "data.csv", *GAUSSIAN, "--observed",
                         "--costs", "costs.csv", *words)

    def test_gaussian_takes_what_pays_for_the_two_cheapest_items(self):
        items = {item: sum(hundredths(COSTS[i]) for i in item) for item in items_of()}
        cheapest = sum(sorted(cost for cost in items.values() if cost)[:2])
        words = ["fit", "data.csv", *GAUSSIAN, "--costs", "costs.csv", "--spend"]
        self.refuses(DATA, ["less than the two cheapest looks cost together", f"{cheapest / 100:.2f}"], *words,
                     f"{(cheapest - 1) / 100:.2f}")
        for spend in (cheapest, max(items.values()) - 1):
            printed, model = self.fit(*words[1:], f"{spend / 100:.2f}")
            self.assertLessEqual(self.check_ledger(printed, model), spend * printed["examples"])
            for item, cost in items.items():
                for i in item:
                    self.assertEqual(model["purchases"][i] > 0, cost <= spend, (i, cost))
                    if cost > spend:
                        self.assertEqual(model["weights"][i], 0)

    def test_the_ledger_adds_up_for_rows_that_know_nothing_of_prices(self):
        for words in ("aerr -k 4", "aelr -k 4", "aer -k 4", "coinflip -k 4", "aesvr -k 12", "online-ridge", "full-ridge",
                      "aerr -k 4 --budget-cost 300", "full-lasso --budget-cost 300", "aerr -k 4 --passes 2"):
            with self.subTest(words=words):
                printed, model = self.fit("data.csv", "--costs", "costs.csv", "--algorithm", *words.split())
                money = self.check_ledger(printed, model)
                self.assertGreater(money, 0)
                self.assertEqual(printed["budget_spent"], "budget" in words)
                self.succeeds("show", "model.json")

    def test_the_ledger_adds_up_without_panels(self):
        printed, model = self.fit("data.csv", "--costs", "single.csv", "--algorithm", "auto", "--spend", "35")
        self.check_ledger(printed, model, grouped=False)
        self.assertNotIn("panels", model)

    def test_costs_do_not_change_what_other_rows_learn(self):
        for row in ("aerr", "full-ridge"):
            words = ("--algorithm", row, *(() if row == "full-ridge" else ("-k", "4")))
            self.assertEqual(self.weights("data.csv", *words), self.weights("data.csv", *words, "--costs", "costs.csv"))

    def test_equal_costs_change_nothing(self):
        self.write("equal.csv", cost_file(grouped=False, costs=["3"] * DIMENSION))
        plain = self.fit("data.csv", "--algorithm", "auto", "-k", "5")[1]
        for words in ((), ("--budget-cost", "600"), ("--no-thrift",)):
            priced = self.fit("data.csv", "--algorithm", "auto", "-k", "5", "--costs", "equal.csv", *words)[1]
            if words[:1] != ("--budget-cost",):
                self.assertEqual(priced["weights"], plain["weights"])
            self.assertEqual(priced["ledger"]["money_spent"], 300 * priced["ledger"]["attributes_bought"])

    def test_thrift_sees_more_examples_for_the_same_money(self):
        words = ("--costs", "single.csv", "--algorithm", "auto", "-k", "4", "--budget-cost", "400")
        thrifty, careless = self.fit("data.csv", *words)[0], self.fit("data.csv", *words, "--no-thrift")[0]
        self.assertGreater(thrifty["examples"], careless["examples"])
        ample = ("--costs", "single.csv", "--algorithm", "auto", "-k", "4", "--spend", "10000")
        self.assertEqual(self.weights("data.csv", *ample), self.weights("data.csv", *ample, "--no-thrift"))

    def test_show_says_where_the_money_went(self):
        printed, model = self.fit("data.csv", "--costs", "costs.csv", "--algorithm", "auto", "-k", "4")
        out = self.succeeds("show", "model.json", "--top", DIMENSION).out
        part = out[out.index("\nmoney:"):out.index("\nweights:")].strip().splitlines()
        self.assertEqual(part[0], f"money: {printed['money_spent']:.2f} spent")
        lines = [line.split() for line in part[2:]]
        self.assertEqual(len(lines), DIMENSION)
        self.assertEqual(sum(hundredths(line[1]) for line in lines), model["ledger"]["money_spent"])
        self.assertEqual([float(line[1]) for line in lines], sorted((float(line[1]) for line in lines), reverse=True))
        for name, spent, purchases, cost, panel in lines:
            i = int(name[1:])
            self.assertEqual(int(purchases), model["purchases"][i])
            self.assertEqual(hundredths(cost), hundredths(COSTS[i]))
            self.assertEqual(hundredths(spent), int(purchases) * hundredths(COSTS[i]))
            self.assertEqual(panel, "1" if i in (1, 2, 3) else "2" if i in (8, 9) else "-")
        short = self.succeeds("show", "model.json", "--top", "2").out.split("\n\n")[3].splitlines()
        self.assertEqual(short, [part[0] + "; the 2 largest", *part[1:4]])

    def test_a_summary_tells_the_money(self):
        out = self.succeeds("fit", "data.csv", "--costs", "costs.csv", "--algorithm", "auto", "-k", "4", "-q").out
        self.assertRegex(out, r"\nmoney: \d+\.\d\d spent\n")
        self.assertNotIn("money", self.succeeds("fit", "data.csv", "-k", "4", "-q").out)

    # ---- ways to write the file ------------------------------------------

    def test_the_file_may_be_written_in_many_ways(self):
        words = ("--algorithm", "auto", "--spend", "40")
        expected = self.weights("data.csv", *words, "--costs", "costs.csv")
        quoted = cost_file(names=[f'"a{i}"' for i in range(DIMENSION)])
        for name, content in {"crlf.csv": cost_file(end="\r\n"), "costs.csv.gz": gz(cost_file()), "quoted.csv": quoted,
                              "mark.csv": "\ufeff" + cost_file(), "open.csv": cost_file().rstrip("\n")}.items():
            with self.subTest(file=name):
                self.write(name, content)
                self.assertEqual(self.weights("data.csv", *words, "--costs", name), expected)

    def test_names_may_hold_commas_and_quotes(self):
        names = ['"age, ""now"""', '"b\nc"', "größe"]
        self.write("odd.csv", csv([*names, "y"], [[i, i % 3, -i, i] for i in range(20)]))
        self.write("odd-costs.csv", csv(["attribute", "cost"], [[n, i] for i, n in enumerate(names)]))
        model = self.fit("odd.csv", "--algorithm", "auto", "-k", "2", "--costs", "odd-costs.csv")[1]
        self.assertEqual(model["costs"], [0, 100, 200])

    def test_attributes_without_names_are_numbered_from_1(self):
        self.write("x.npy", npy(self.table.x))
        self.write("y.npy", npy(self.table.y))
        self.write("data.svm", self.table.libsvm())
        self.write("bare.csv", self.table.csv(header=False))
        self.write("numbers.csv", cost_file(names=[str(i + 1) for i in range(DIMENSION)]))
        words = ("--algorithm", "auto", "--spend", "40", "--costs")
        expected = self.fit("data.csv", *words, "costs.csv")[1]
        for data, more in (("x.npy", ("--labels", "y.npy")), ("data.svm", ()), ("bare.csv", ("--header", "no"))):
            model = self.fit(data, *words, "numbers.csv", *more)[1]
            self.assertEqual((model["weights"], model["costs"]), (expected["weights"], expected["costs"]))
            self.refuses(DATA, ["costs.csv", "a15"], "fit", data, *words, "costs.csv", *more)
        for number in ("0", "17", "-1", "1.5", "x"):
            self.write("wrong.csv", cost_file().replace("a3,", f"{number},"))
            self.refuses(DATA, ["wrong.csv", "no attribute"], "fit", "data.svm", *words, "wrong.csv")

    # ---- what is refused -------------------------------------------------

    def test_bad_files_are_refused(self):
        good = cost_file(grouped=False)
        for content, words in (
                ("", "empty"), ("\n", "empty"), ("cost,attribute\n", "first line"), ("a,b,c\n", "first line"),
                ("attribute\n", "two fields"), (good + "a0,1\n", ["line 18", "'a0'", "already"]),
                (good + "b,1\n", ["line 18", "'b'", "no attribute"]), (good + "y,1\n", "'y'"),
                (good.replace("a4,4\n", ""), "'a4'"), (good.replace("a4,4\n", "a4,-4\n"), ["line 13", "negative"]),
                (good.replace("a4,4\n", "a4,4.001\n"), ["line 13", "'4.001'", "two decimals"]),
                (good.replace("a4,4\n", "a4,four\n"), ["line 13", "'four'"]),
                (good.replace("a4,4\n", "a4,nan\n"), ["line 13", "'nan'"]),
                (good.replace("a4,4\n", "a4,inf\n"), ["line 13", "'inf'"]),
                (good.replace("a4,4\n", "a4,\n"), "line 13"), (good.replace("a4,4\n", "a4\n"), ["line 13", "two fields"]),
                (good.replace("a4,4\n", "a4,4,x\n"), ["line 13", "two fields"]),
                (good.replace("a4,4\n", "\na4,4\n"), ["line 13", "two fields"]),
                (good.replace("a4,4\n", "a4,1e14\n"), ["line 13", "too large"]),
                (good.replace("a4,4\n", '"a4,4\n'), "quote"),
                (cost_file().replace("a4,4,\n", "a4,4\n"), ["line 13", "three fields"]), ("\0\1\2", "two fields")):
            with self.subTest(content=content[-40:], words=words):
                self.write("bad.csv", content)
                words = ["bad.csv", *([words] if isinstance(words, str) else words)]
                for row in ("auto", "aerr"):
                    self.refuses(DATA, words, "fit", "data.csv", "-k", "4", "--algorithm", row, "--costs", "bad.csv",
                                 "-o", "never.json", "--checkpoint", "never-either.json")
        self.refuses(NO_INPUT, "none.csv", "fit", "data.csv", "-k", "4", "--costs", "none.csv", "-o", "never.json")
        self.refuses(NO_INPUT, "none.csv", "fit", "data.csv", "--algorithm", "full-ridge", "--costs", "none.csv")

    def test_limits_that_can_not_be_kept_are_refused(self):
        base = ("fit", "data.csv", "--algorithm", "auto", "--costs", "costs.csv", "-o", "never.json")
        self.refuses(DATA, ["spend 30.00", "30.01"], *base, "--spend", "30")  # a panel of 20.01 and 10
        self.succeeds(*base[:-2], "--spend", "30.01", "-q")
        self.refuses(DATA, ["30.00 per pass", "30.01"], *base, "--spend", "60.01", "--passes", "2")
        self.succeeds(*base[:-2], "--spend", "60.02", "--passes", "2", "-q")
        self.refuses(DATA, "fewer than 2", *base, "--spend", "1000", "--passes", "9")
        self.refuses(DATA, "17", *base, "--spend", "40", "-k", "17")
        self.refuses(USAGE, "k is missing", *base, "--budget-cost", "100")
        for option in ("--spend", "--budget-cost"):
            for amount in ("1.001", "-1", "nan", "inf", "much", "", "1e14", "0.005"):
                self.refuses(USAGE, option[2:], *base, "-k", "4", option, amount)

    def test_options_of_money_need_costs(self):
        for words in (["--spend", "9"], ["--budget-cost", "9"], ["--no-thrift"]):
            self.refuses(USAGE, "--costs", "fit", "data.csv", "-k", "4", "--algorithm", "auto", "-o", "never.json", *words)
        self.refuses(USAGE, "--costs", "fit", "data.csv", "-k", "4", "--budget-cost", "9")
        self.refuses(USAGE, "--costs", "fit", "data.csv", "--algorithm", "full-ridge", "--budget-cost", "9")

    def test_rows_that_do_not_follow_prices_take_no_spend(self):
        for row in ("aerr", "aelr", "aesvr", "aer", "coinflip", "online-ridge", "full-ridge"):
            for words in (["--spend", "99"], ["--no-thrift"]):
                name = words[0].removeprefix("--").removeprefix("no-")
                self.refuses(USAGE, [name, row], "fit", "data.csv", *(() if "-" in row else ("-k", "12")), "--algorithm",
                             row, "--costs", "costs.csv", *words)

    def test_the_costs_are_not_overwritten(self):
        for words in (["-o", "costs.csv"], ["--checkpoint", "costs.csv"], ["-o", "./costs.csv"]):
            self.refuses(USAGE, "overwritten", "fit", "data.csv", "-k", "4", "--costs", "costs.csv", *words)

    # ---- going on --------------------------------------------------------

    def test_a_checkpoint_goes_on_with_its_prices(self):
        for words in (("--algorithm", "auto", "-k", "8", "--passes", "2", "--spend", "75", "--budget-cost", "2500"),
                      (*GAUSSIAN, "-k", "8", "--spend", "75", "--budget-cost", "4000")):
            with self.subTest(words=words):
                self.write("costs.csv", cost_file())
                self.check_going_on(words)

    def check_going_on(self, words):
        whole = self.fit("data.csv", *words, "--costs", "costs.csv")[1]
        # all of them, one behind the other: what is no file is written to directly
        out = self.succeeds("fit", "data.csv", *words, "--costs", "costs.csv", "-q", "--checkpoint", "/dev/stdout",
                            "--every", "25").out
        found = re.findall(r'\{\n  "format": "scant-model".*?"checksum": "[0-9a-f]{16}"\n\}\n', out, re.DOTALL)
        self.assertGreater(len(found), 4 if "auto" in words else 2)
        self.write("costs.csv", "gone")
        for checkpoint in found:
            self.write("c.json", checkpoint)
            self.succeeds("fit", "data.csv", "--resume", "c.json", "-q", "-o", "resumed.json")
            self.assertEqual(self.model("resumed.json"), whole)
        self.succeeds("fit", "data.csv", "--resume", "c.json", "--spend", "75", "-q", "-o", "resumed.json")
        self.refuses(USAGE, "spend", "fit", "data.csv", "--resume", "c.json", "--spend", "76", "-o", "never.json")
        self.refuses(USAGE, ["--costs", "--resume", "holds its prices"], "fit", "data.csv", "--resume", "c.json",
                     "--costs", "costs.csv", "-o", "never.json")

    def test_a_model_with_damaged_prices_is_refused(self):
        self.fit("data.csv", "--costs", "costs.csv", "--algorithm", "auto", "-k", "4", "--spend", "50")
        good = json.loads(self.read("model.json"))
        self.write("same.json", sealed(good))
        self.succeeds("show", "same.json")
        costs, ledger = good["costs"], good["ledger"]
        without = {k: v for k, v in good.items() if k != "costs"}
        for bad in ({**good, "costs": costs[1:]}, {**good, "costs": [1, *costs[1:]]}, {**good, "costs": None}, without,
                    {**good, "panels": [17] * 16}, {**good, "panels": [0, 2, *good["panels"][2:]]},
                    {**good, "ledger": {**ledger, "money_spent": ledger["money_spent"] + 1}},
                    {**good, "ledger": {k: v for k, v in ledger.items() if k != "money_spent"}},
                    {**good, "settings": {**good["settings"], "spend": 0.01}},
                    {**good, "settings": {**good["settings"], "budget_cost": 1}},
                    {**good, "purchases": [good["purchases"][0] + 1, *good["purchases"][1:]]}):
            self.write("bad.json", sealed(bad))
            self.refuses(DATA, "bad.json", "show", "bad.json")
