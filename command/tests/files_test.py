"""Files as people have them: columns that are left out, words that count as empty, columns of words, columns that are
absent.  What such a file gives is compared, byte for byte, with what a clean file of the same numbers gives."""
import random

from support import DATA, USAGE, CommandTest, algorithms, csv

CITIES = ["Lima", "Oslo", "Rome"]
ALGORITHMS = ["auto", "ridge", "lasso", "svr", "gaussian", "moments", "aerr", "coinflip", "online-ridge", "full-ridge"]
MESSY = ["--ignore", "id,note", "--na", "NA,-999", "--one-hot", "city", "--one-hot", "sex=f,m"]


def of(algorithm, k=3):
    whole = algorithm.startswith(("online", "full"))
    return ["--algorithm", algorithm, *([] if whole else ["-k", str(k)])]


class Messy:
    """The same examples as a file that people have (names, words, NA, -999), and as a file of numbers."""

    names = ["id", "age", "city", "bmi", "note", "sex", "dose", "y"]
    clean_names = ["age", "city=Lima", "city=Oslo", "city=Rome", "bmi", "sex=f", "sex=m", "dose", "y"]

    def __init__(self, rows, seed=1, cities=CITIES):
        draw = random.Random(seed)
        self.rows, self.clean, self.unlisted = [], [], 0
        for i in range(rows):
            age, bmi, dose = (draw.randint(-1024, 1024) / 1024 for _ in range(3))
            city, sex = draw.choice([*cities, ""]), draw.choice(["f", "m", "x", "NA"])
            y = round(age - bmi + (city == "Rome") - 2 * (sex == "f") + draw.gauss(0, 0.1), 4)
            bmi_cell = draw.choice([bmi, bmi, bmi, "NA", "-999", " -999.0 "])
            self.unlisted += (city not in CITIES and city != "") + (sex == "x")
            self.rows.append([f"p{i}", age, f' "{city}"'.strip() if i % 7 == 0 else city, bmi_cell, "said 'ah', twice"
                              if i % 5 else "", sex, dose, y])
            self.clean.append([age, *self.code(city, CITIES), bmi if bmi_cell == bmi else "",
                               *self.code("" if sex == "NA" else sex, ["f", "m"]), dose, y])

    @staticmethod
    def code(word, words):
        return ["" if word == "" else int(word == w) for w in words]

    def csv(self, *without):
        kept = [i for i, name in enumerate(self.names) if name not in without]
        lines = [",".join(self.names[i] for i in kept)]
        lines += [",".join(f'"{row[i]}"' if self.names[i] == "note" else str(row[i]) for i in kept) for row in self.rows]
        return "\n".join(lines) + "\n"

    def clean_csv(self, *without):
        kept = [i for i, name in enumerate(self.clean_names) if name.split("=")[0] not in without]
        return csv([self.clean_names[i] for i in kept], [[row[i] for i in kept] for row in self.clean])


# What the categories of a column cost together stands at the first of them.
CLEAN_COSTS = "attribute,cost,group\nage,1,\ncity=Lima,1,c\ncity=Oslo,0,c\ncity=Rome,0,c\nbmi,1,\nsex=f,1,s\nsex=m,0,s\ndose,1,\n"


class Files(CommandTest):
    def setUp(self):
        super().setUp()
        self.table = Messy(150)
        self.other = Messy(60, seed=5, cities=[*CITIES, "Bonn", "Paris"])
        self.write("messy.csv", self.table.csv())
        self.write("clean.csv", self.table.clean_csv())
        self.write("other.csv", self.other.csv())
        self.write("other-clean.csv", self.other.clean_csv())
        self.write("costs.csv", CLEAN_COSTS)

    def same_model(self, one, another):
        self.assertEqual(self.read(one), self.read(another))

    # ---- ignore, only, na ------------------------------------------------------

    def test_columns_that_are_left_out_are_as_if_they_were_not_there(self):
        self.write("cut.csv", self.table.csv("id", "city", "note", "sex"))
        words = ["-k", "2", "--na", "NA,-999"]
        self.fit("cut.csv", *words, model="cut.json")
        for given in (["--ignore", "id,city,note,sex"], ["--only", "age,bmi,dose"], ["--only", "dose, bmi ,y,age"],
                      ["--ignore", "1,3", "--ignore", "note", "--ignore=sex,id"], ["--only", "2,4", "--only", "dose"],
                      ["--only", "age,bmi,dose", "--ignore", "sex"]):
            self.fit("messy.csv", *words, *given)
            self.same_model("model.json", "cut.json")

    def test_columns_without_names_are_left_out_by_number(self):
        body = self.table.csv("note").split("\n", 1)[1]
        self.write("bare.csv", body)
        self.write("cut.csv", self.table.csv("id", "city", "note", "sex").split("\n", 1)[1])
        words = ["-k", "2", "--header", "no", "--na", "NA,-999"]
        self.fit("cut.csv", *words, model="cut.json")
        self.fit("bare.csv", *words, "--ignore", "1,3,5")
        model, cut = self.model(), self.model("cut.json")
        self.assertEqual((model["weights"], model["names"], model["target"]), (cut["weights"], None, "7"))
        ours = self.succeeds("predict", "model.json", "bare.csv", "--header", "no", "--na", "NA,-999", "--ignore", "1,3,5")
        theirs = self.succeeds("predict", "cut.json", "cut.csv", "--header", "no", "--na", "NA,-999")
        self.assertEqual(ours.out, theirs.out)
        sentence = self.refuses(DATA, "bare.csv", "fit", "bare.csv", "-k", "2", "--header", "no", "-o", "new.json")
        self.assertIn("columns '1', '3' and '5' hold text", sentence)

    def test_words_that_count_as_empty(self):
        for word, cell in (("NA", "NA"), ("-999", "-999.00"), ("?", " ? "), ("n.a.", "n.a."), ('"a,b"', '"a,b"')):
            rows = [row[:] for row in self.table.clean]
            for i in range(0, 150, 3):
                rows[i][0] = ""
            self.write("holes.csv", csv(self.table.clean_names, rows))
            for i in range(0, 150, 3):
                rows[i][0] = cell
            self.write("words.csv", csv(self.table.clean_names, rows))
            self.fit("holes.csv", "-k", "3", model="holes.json")
            self.fit("words.csv", "-k", "3", "--na", word)
            self.same_model("model.json", "holes.json")
            if word[0] not in "-":  # -999 is a number
                self.refuses(DATA, ["words.csv", "'age'"], "fit", "words.csv", "-k", "7", "-o", "new.json")

    def test_contradictions_name_the_column(self):
        def refuses(code, words, *given):
            self.refuses(code, words, "fit", "messy.csv", "-k", "2", "-o", "new.json", *given)

        refuses(USAGE, ["'age'", "--ignore", "--only"], "--ignore", "age,id", "--only", "bmi,age")
        refuses(USAGE, ["'age'", "--ignore", "--only"], "--ignore", "2", "--only", "age")
        for option in ("--ignore", "--only", "--one-hot"):
            refuses(DATA, ["messy.csv", "'height'", option], option, "height")
            refuses(DATA, ["messy.csv", "'9'", option], option, "9")
        refuses(DATA, ["'y'", "target", "--ignore"], "--ignore", "id,y")
        refuses(DATA, ["'age'", "target", "--ignore"], "--ignore", "age", "--target", "age")
        refuses(DATA, ["'y'", "target", "--one-hot"], "--one-hot", "y")
        refuses(DATA, ["messy.csv", "no attribute is left"], "--only", "y")
        refuses(DATA, ["'city'", "--one-hot", "--ignore"], "--ignore", "id,city", "--one-hot", "city")
        refuses(DATA, ["'city'", "--one-hot"], "--only", "age,bmi", "--one-hot", "city")
        refuses(USAGE, ["'city'", "twice"], "--one-hot", "city", "--one-hot", "city=Rome")
        refuses(USAGE, ["'city'", "twice"], "--one-hot", "city=Rome,Rome")
        refuses(USAGE, ["'city'", "empty"], "--one-hot", "city=Rome,,Oslo")
        refuses(DATA, ["no column 'city,sex'", "--one-hot", "';' separates several columns"], "--one-hot", "city,sex")
        self.assertNotIn("separates", self.refuses(DATA, "'height'", "fit", "messy.csv", "-k", "2", "--one-hot", "height"))
        refuses(USAGE, "na is a list", "--na", "NA,,?")
        self.write("data.svm", "1 1:2\n")
        for option in ("--ignore", "--only", "--na", "--one-hot"):
            self.refuses(USAGE, [option, "CSV", "data.svm"], "fit", "data.svm", "-k", "2", option, "age")

    # ---- text ------------------------------------------------------------------

    def test_all_columns_of_text_are_named_at_once(self):
        for command in (["fit", "messy.csv", "-k", "2", "-o", "new.json"], ["tune", "messy.csv", "-k", "2", "-o", "new.json"],
                        ["curve", "messy.csv", "-k", "2", "--out", "new"]):
            sentence = self.refuses(DATA, ["messy.csv", "--ignore", "--one-hot", "--na", "'p0'"], *command)
            self.assertIn("columns 'id', 'city', 'note' and 'sex' hold text", sentence)
        sentence = self.refuses(DATA, "messy.csv", "fit", "messy.csv", "-k", "2", "--ignore", "id,note", "--one-hot", "sex=f")
        self.assertIn("column 'city' holds text", sentence)

    def test_more_columns_than_a_sentence_has_room_for(self):
        names = [f"a_long_name_of_a_column_{i}" for i in range(40)]
        self.write("wide.csv", csv([*names, "y"], [["word"] * 40 + [i] for i in range(5)]))
        sentence = self.refuses(DATA, ["wide.csv", "--ignore", "--one-hot"], "fit", "wide.csv", "-k", "2")
        named = sum(f"'{name}'" in sentence for name in names)
        self.assertGreater(named, 5)
        self.assertIn(f"and {40 - named} more", sentence)

    def test_a_stray_word_is_named_by_its_line_when_it_is_bought(self):
        rows = [row[:] for row in self.table.clean]
        rows[30][0] = "thirty"
        self.write("stray.csv", csv(self.table.clean_names, rows))
        self.refuses(DATA, ["stray.csv, line 32, column 'age'", "'thirty'"], "fit", "stray.csv", "--algorithm", "online-ridge")
        self.fit("stray.csv", "-k", "3", "--ignore", "age")

    def test_nothing_behind_the_first_rows_is_looked_at(self):
        """Rows that are not learned from hold garbage; the column with the words is scanned, and no other."""
        words = ["-k", "3", "--examples", "100", "--no-shuffle", *MESSY]
        lines = self.table.csv().splitlines()
        bad = lines[:101] + [",".join(["#", "rubbish", line.split(",")[2], "inf", "", "zzz", "1e999", "0"])
                             for line in lines[101:]]
        self.write("bad.csv", "\n".join(bad) + "\n")
        zero = lines[:101] + [",".join([*line.split(",")[:-1], "0"]) for line in lines[101:]]
        self.write("zero.csv", "\n".join(zero) + "\n")
        for algorithm in ("auto", "gaussian"):
            self.fit("zero.csv", *words, "--algorithm", algorithm, model="zero.json")
            self.fit("bad.csv", *words, "--algorithm", algorithm)
            self.same_model("model.json", "zero.json")

    def test_a_target_of_two_words_names_classes(self):
        def file(labels):
            return csv(["a", "b", "y"], [[i % 5, i % 3, labels[i % len(labels)]] for i in range(30)])

        for labels, wanted in ((["yes", "no"], "no,yes"), (["M", "B", "B"], "B,M"), (["1", "bad"], "1,bad")):
            self.write("words.csv", file(labels))
            self.refuses(DATA, ["words.csv", "column 'y'", f"--classes {wanted} "], "fit", "words.csv", "-k", "2", "-o", "m.json")
            self.fit("words.csv", "-k", "2", "--classes", wanted)
        for labels in (["yes", "no", "maybe"], ["1", "2", "NA"], ['"a,b"', "c"]):
            self.write("words.csv", file(labels))
            self.assertNotIn("--classes", self.refuses(DATA, "column 'y'", "fit", "words.csv", "-k", "2", "-o", "m.json"))

    # ---- one-hot ---------------------------------------------------------------

    def test_categories_are_the_attributes_of_a_clean_file(self):
        known = {row.name for row in algorithms()} | {"full-ridge"}
        for algorithm in ALGORITHMS:
            self.assertIn(algorithm, known)
            with self.subTest(algorithm=algorithm):
                self.fit("clean.csv", *of(algorithm), "--costs", "costs.csv", model="clean.json")
                self.fit("messy.csv", *of(algorithm), *MESSY)
                self.same_model("model.json", "clean.json")
        model = self.model()
        self.assertEqual(model["names"], Messy.clean_names[:-1])

    def test_the_group_is_bought_as_one(self):
        _, model = self.fit("messy.csv", "-k", "3", *MESSY)
        purchases = dict(zip(model["names"], model["purchases"]))
        self.assertEqual(len({purchases[f"city={c}"] for c in CITIES}), 1)
        self.assertEqual(purchases["sex=f"], purchases["sex=m"])
        items = sum(purchases[n] for n in ("age", "bmi", "dose", "city=Lima", "sex=f"))
        self.assertEqual(model["ledger"]["attributes_bought"], items)
        self.assertLessEqual(model["ledger"]["max_bought_per_example"], 3)

    def test_a_column_of_words_has_one_cost(self):
        self.write("mine.csv", "attribute,cost,group\nage,2,\ncity,5.50,\nbmi,1,b\nsex,3,b\ndose,4,\n")
        self.write("theirs.csv", "attribute,cost,group\nage,2,\ncity=Lima,5.50,c\ncity=Oslo,0,c\ncity=Rome,0,c\nbmi,1,b\n"
                   "sex=f,3,b\nsex=m,0,b\ndose,4,\n")
        for more in (["-k", "2"], ["--spend", "12"]):
            self.fit("clean.csv", *more, "--costs", "theirs.csv", model="clean.json")
            self.fit("messy.csv", *more, "--costs", "mine.csv", *MESSY)
            self.same_model("model.json", "clean.json")
        bad = {"age,2\ncity=Rome,5\n": "'city=Rome' is a category", "city,1\ncity,2\n": "'city' has a cost already",
               "age,1\nbmi,1\nsex,1\ndose,1\n": "no cost of attribute 'city=Lima'", "town,1\n": "'town' is no attribute"}
        for lines, words in bad.items():
            self.write("bad.csv", "attribute,cost\n" + lines)
            result = self.run_command("fit", "messy.csv", "-k", "2", "--costs", "bad.csv", *MESSY)
            self.assertEqual(result.code, DATA)
            self.assertIn(words, result.err)

    def test_the_scan_is_said_to_be_outside_the_ledger(self):
        for command in (["fit", "messy.csv"], ["tune", "messy.csv"], ["curve", "messy.csv", "--out", "out", "--runs", "2"]):
            result = self.succeeds(*command, "-k", "3", "-q", *MESSY)
            notes = [line for line in result.err.splitlines() if "outside the ledger" in line]
            self.assertEqual(len(notes), 1, str(result))
            self.assertIn("3 words of column 'city' were found by reading 150 cells", notes[0])
        listed = self.succeeds("fit", "messy.csv", "-k", "3", "-q", *MESSY[:4], "--one-hot", "city=Lima,Oslo,Rome",
                               "--one-hot", "sex=f,m", "-o", "listed.json")
        self.assertNotIn("outside the ledger", listed.err)
        self.fit("messy.csv", "-k", "3", *MESSY)
        self.same_model("model.json", "listed.json")

    def test_classes_choose_the_rows_that_are_scanned(self):
        self.write("c.csv", csv(["a", "w", "y"], [[i, ["u", "v", "w"][i % 3], ["no", "yes", "else"][i % 3]] for i in range(30)]))
        _, model = self.fit("c.csv", "-k", "2", "--classes", "no,yes", "--one-hot", "w")
        self.assertEqual(model["names"], ["a", "w=u", "w=v"])

    def test_a_column_of_too_many_words_is_refused(self):
        self.write("many.csv", csv(["a", "w", "y"], [[i % 9, f"w{i}", i % 7] for i in range(1001)]))
        self.refuses(DATA, ["'w'", "1000", "--one-hot"], "fit", "many.csv", "-k", "2", "--one-hot", "w", "-o", "m.json")
        self.write("some.csv", csv(["a", "w", "y"], [[i % 9, f"w{i}", i % 7] for i in range(1000)]))
        self.fit("some.csv", "-k", "2", "--one-hot", "w")

    def test_names_that_would_be_the_same_are_refused(self):
        self.write("two.csv", csv(["w", "w=u", "y"], [["u", i, i] for i in range(9)]))
        self.refuses(DATA, ["two.csv", "'w=u'"], "fit", "two.csv", "-k", "2", "--one-hot", "w", "-o", "m.json")
        self.write("empty.csv", csv(["w", "a", "y"], [["NA", i, i] for i in range(9)]))
        self.refuses(DATA, ["'w'", "empty"], "fit", "empty.csv", "-k", "2", "--one-hot", "w", "--na", "NA", "-o", "m.json")
        self.write("bare.csv", "u,1,2\nv,3,4\n")
        self.refuses(DATA, ["one-hot", "names"], "fit", "bare.csv", "-k", "2", "--header", "no", "--one-hot", "1")

    def test_words_with_quotes_blanks_and_equals_signs(self):
        words = ['say "ah"', "a,b", " spaced ", "x=y", "Zürich"]
        quoted = ['"say ""ah"""', '"a,b"', " spaced ", "x=y", "Zürich"]
        rows = [[quoted[i % 5], i % 4, i % 7] for i in range(40)]
        self.write("q.csv", csv(["k=l", "a", "y"], rows))
        _, model = self.fit("q.csv", "-k", "2", "--one-hot", "k=l")
        self.assertEqual(model["names"][:-1], [f"k=l={w.strip()}" for w in sorted(w.strip() for w in words)])
        _, listed = self.fit("q.csv", "-k", "2", "--one-hot", 'k=l="say ""ah""","a,b",spaced,x=y,Zürich', model="l.json")
        self.assertEqual(listed["names"][:-1], [f"k=l={w.strip()}" for w in words])
        for name in ("model.json", "l.json"):
            result = self.succeeds("eval", name, "q.csv")
            self.assertEqual(result.err, "")

    # ---- with a model ------------------------------------------------------------

    def test_predictions_are_those_of_the_clean_file(self):
        for algorithm in ("auto", "gaussian"):
            self.fit("messy.csv", *of(algorithm), *MESSY)
            for command, more in (("predict", []), ("eval", ["--json"])):
                mine = self.succeeds(command, "model.json", "other.csv", "--na", "NA,-999", *more)
                clean = self.succeeds(command, "model.json", "other-clean.csv", *more)
                self.assertEqual(mine.out, clean.out)
                self.assertEqual(clean.err, "")
                self.assertIn(f"{self.other.unlisted} cells", mine.err)
                self.assertIn("none of the categories", mine.err)
        few = [self.succeeds("eval", "model.json", *data, "-k", "2", "--json").out
               for data in (["other.csv", "--na", "NA,-999"], ["other-clean.csv"])]
        self.assertEqual(*few)

    def test_a_test_file_is_read_by_the_categories_of_the_fit(self):
        mine, _ = self.fit("messy.csv", "-k", "3", *MESSY, "--test", "other.csv")
        clean, _ = self.fit("clean.csv", "-k", "3", "--costs", "costs.csv", "--test", "other-clean.csv")
        self.assertEqual(mine["test"], clean["test"])
        self.write("less.csv", self.other.csv("id"))  # what is left out need not be there
        less, _ = self.fit("messy.csv", "-k", "3", *MESSY, "--test", "less.csv")
        self.assertEqual(less["test"], clean["test"])

    def test_cells_of_the_fit_that_are_not_listed_are_counted_once(self):
        words = ["fit", "messy.csv", "--algorithm", "online-ridge", "-q", *MESSY, "--checkpoint", "c.json", "--every", "10"]
        result = self.succeeds(*words)
        self.assertIn(f"{self.table.unlisted} cells of column 'sex' hold a word", result.err)
        one = self.run_command("fit", "messy.csv", "-k", "2", "--algorithm", "aerr", "-q", *MESSY, "--examples", "1",
                               "--no-shuffle", "--checkpoint", "c.json")
        self.assertNotIn("150 cells of", one.err.replace("reading 150 cells", ""))

    def test_a_fit_goes_on_without_saying_it_again(self):
        for algorithm in ("auto", "gaussian"):
            self.fit("messy.csv", *of(algorithm), *MESSY, model="whole.json")
            words = [*of(algorithm), *MESSY]
            self.succeeds("fit", "messy.csv", "-q", *words, "--checkpoint", "c.json", "--every", "50")
            self.succeeds("fit", "messy.csv", "-q", "--na", "NA,-999", "--resume", "c.json", "-o", "model.json")
            self.same_model("model.json", "whole.json")
        self.write("changed.csv", self.table.csv().replace("Rome", "Lima"))
        self.refuses(DATA, "not the data", "fit", "changed.csv", "--na", "NA,-999", "--resume", "c.json")

    def test_a_column_called_as_a_category_is_taken_as_it_is(self):
        """Only attributes of a group are categories: x=1 of this model is no category of x."""
        self.write("a.csv", csv(["x=1", "b", "y"], [[i % 4, i % 3, i % 5] for i in range(40)]))
        self.write("b.csv", csv(["x", "b", "y"], [[i % 4, i % 3, i % 5] for i in range(40)]))
        self.fit("a.csv", "--algorithm", "auto", "-k", "2")
        self.refuses(DATA, ["b.csv", "'x=1'"], "predict", "model.json", "b.csv")

    # ---- columns that are absent ---------------------------------------------------

    def empty_like(self, table, *absent):
        kept = [name.split("=")[0] not in absent for name in Messy.clean_names]
        return csv(Messy.clean_names, [[v if k else "" for v, k in zip(row, kept)] for row in table.clean])

    def test_absent_columns_count_as_empty_for_gaussian(self):
        self.fit("messy.csv", *of("gaussian"), *MESSY)
        for absent in (["age"], ["city"], ["dose", "sex"]):
            self.write("less.csv", self.other.csv(*absent))
            self.write("holes.csv", self.empty_like(self.other, *absent))
            for command, more in (("predict", []), ("predict", ["--interval", "0.9"]), ("eval", ["--json"])):
                less = self.succeeds(command, "model.json", "less.csv", "--na", "NA,-999", *more)
                holes = self.succeeds(command, "model.json", "holes.csv", *more)
                self.assertEqual(less.out, holes.out)
                names = " and ".join(f"'{name}'" for name in sorted(absent, key=Messy.names.index))
                self.assertIn(f"note: less.csv has no column{'s' if len(absent) > 1 else ''} {names}, ", less.err)
                self.assertEqual(holes.err, "")
            bought = self.succeeds("eval", "model.json", "less.csv", "--na", "NA,-999", "-k", "2", "--json").json
            self.assertLessEqual(bought["missing_cells"], 60)

    def test_what_is_left_out_is_not_called_absent(self):
        self.fit("messy.csv", *of("gaussian"), *MESSY)
        self.write("other.csv", self.other.csv())
        self.write("less.csv", self.other.csv("dose"))
        for ignored in ("age", "city"):
            for command in ("predict", "eval"):
                words = ["--na", "NA,-999", "--ignore", ignored]
                self.assertNotIn("no column", self.succeeds(command, "model.json", "other.csv", *words).err)
                self.assertIn("less.csv has no column 'dose', which the model needs: it counts as empty",
                              self.succeeds(command, "model.json", "less.csv", *words).err)
        self.refuses(DATA, ["other.csv is read without columns 'age', 'city' and 'bmi' (--ignore or --only): that is 3 of"],
                     "predict", "model.json", "other.csv", "--na", "NA,-999", "--ignore", "age,bmi,city")
        self.fit("messy.csv", *of("auto"), *MESSY)
        self.refuses(DATA, ["other.csv is read without column 'age' (--ignore or --only), which the model needs"],
                     "predict", "model.json", "other.csv", "--na", "NA,-999", "--ignore", "age")
        self.refuses(DATA, ["less.csv has no columns 'age' and 'dose' (--ignore or --only left out 1), which"],
                     "predict", "model.json", "less.csv", "--na", "NA,-999", "--ignore", "age")

    def test_an_absent_column_is_not_bought(self):
        """A column of holes is bought and found empty; one that is not there is known to be empty."""
        self.fit("clean.csv", *of("gaussian"), "--ignore", "city=Lima,city=Oslo,city=Rome,bmi,sex=f,sex=m", "-k", "2")
        rows = [[row[0], row[7], row[8]] for row in self.table.clean]
        self.write("less.csv", csv(["dose", "y"], [row[1:] for row in rows]))
        result = self.succeeds("eval", "model.json", "less.csv", "-k", "2", "--json").json
        self.assertEqual((result["attributes_bought"], result["missing_cells"]), (150, 0))

    def test_half_may_be_absent_and_not_more(self):
        self.write("four.csv", csv(["a", "b", "c", "d", "y"], [[(i * j) % 7 for j in (1, 2, 3, 5, 8)] for i in range(60)]))
        self.fit("four.csv", *of("gaussian", 2))
        self.write("two.csv", csv(["b", "d"], [[1, 2]]))
        self.write("one.csv", csv(["b", "z"], [[1, 2]]))
        self.assertIn("'a' and 'c'", self.succeeds("predict", "model.json", "two.csv").err)
        self.assertIn("'a', 'b' and 'c'", self.refuses(DATA, ["3 of the 4", "half"], "predict", "model.json", "two.csv",
                                                       "--ignore", "b"))
        self.refuses(DATA, ["'a', 'c' and 'd'", "3 of the 4"], "predict", "model.json", "one.csv")
        self.fit("four.csv", *of("auto", 2))
        for command in ("predict", "eval"):
            self.write("two.csv", csv(["b", "d", "y"], [[1, 2, 3]]))
            self.refuses(DATA, ["two.csv has no columns 'a' and 'c', which the model needs"], command, "model.json", "two.csv")
