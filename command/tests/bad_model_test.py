"""Model files that are damaged, or say what can't be: exit code 65, a
sentence that names the file, and never a crash."""
import json

from support import DATA, CommandTest, Table, csv, run_all, seal, sealed


class BadModel(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("data.csv", Table(9, 2).csv())
        self.succeeds("fit", "data.csv", "--algorithm", "auto", "-k", "2", "-q", "-o", "good.json")
        self.good = self.read("good.json")

    def check_all(self, contents, command=("show",), words=()):
        """Every one of these files is refused."""
        commands = []
        for i, content in enumerate(contents):
            name = self.write(f"bad-{i}.json", content)
            commands.append([*command[:1], name, *command[1:]])
        self.assertGreater(len(commands), 0)
        for words_run, content, result in zip(commands, contents, run_all(commands, self.folder)):
            with self.subTest(command=words_run, content=content[:60]):
                self.check_refusal(result, DATA, words_run[1], *words)
        self.assertEqual([n for n in self.files() if n.endswith(".tmp")], [])

    def change(self, **changes):
        """The good model with fields changed, and a checksum that agrees."""
        return sealed({**json.loads(self.good), **changes})

    def change_in(self, part, **changes):
        model = json.loads(self.good)
        return self.change(**{part: {**model[part], **changes}})

    def test_a_file_sealed_by_these_tests_is_accepted(self):
        self.write("same.json", self.change())
        self.assertEqual(self.succeeds("show", "same.json").out, self.succeeds("show", "good.json").out)

    def test_every_flipped_byte_is_noticed(self):
        self.check_all([self.good[:i] + bytes([b ^ (1 << i % 8)]) + self.good[i + 1:] for i, b in enumerate(self.good)])

    def test_digits_that_become_other_digits_are_noticed(self):
        digits = [i for i, b in enumerate(self.good) if chr(b).isdigit()][::3]
        self.check_all([self.good[:i] + (b"%d" % ((self.good[i] - 47) % 10)) + self.good[i + 1:] for i in digits])

    def test_truncated_files_are_noticed(self):
        self.check_all([self.good[:n] for n in range(0, len(self.good), 9)])
        self.check_all([self.good[:-1], self.good + b"\n", self.good * 2])

    def test_predict_and_eval_refuse_a_damaged_model_too(self):
        damaged = self.good.replace(b"weights", b"weighty")
        for command in ("predict", "eval"):
            self.check_all([damaged], (command, "data.csv"))
        self.write("damaged.json", damaged)
        self.refuses(DATA, "damaged.json", "fit", "data.csv", "--resume", "damaged.json")
        self.refuses(DATA, "damaged.json", "predict", "damaged.json", "data.csv", "-o", "out.txt")

    def test_a_wrong_checksum_is_called_so(self):
        wrong = self.good.replace(b'"seed": 1', b'"seed": 2')
        self.assertNotEqual(wrong, self.good)
        self.check_all([wrong], words=["checksum"])

    def test_a_wrong_dimension_is_noticed(self):
        model = json.loads(self.good)
        numbers = (0, 1, 3, 2**32, 2**63, 2**64, 10**30, -2, 2.5, "2", None, [2])
        self.check_all([self.change(dimension=n) for n in numbers])
        self.check_all([self.change(weights=w) for w in ([], [1], [1, 2, 3], None, {}, 1)])
        self.check_all([self.change(names=n) for n in (["a"], [], ["a", 1], "ab", ["a", "b", "c"], [model["names"]])])
        self.check_all([self.change(purchases=p) for p in ([1], [], None)])

    def test_an_unknown_version_is_named(self):
        self.check_all([self.change(version=n) for n in (0, 1, 4, 999)], words=["version"])
        self.check_all([self.change(version=n) for n in (-1, 1.5, "1", None, 10**25)])
        self.check_all([self.change(format="other"), self.change(format=None)])
        self.check_all([b"{}", b"[]", b"1", b"null", b'"scant-model"'])

    def test_a_missing_field_is_named(self):
        model = json.loads(self.good)
        for field in model:
            if field != "checksum":
                self.check_all([sealed({k: v for k, v in model.items() if k != field})],
                               words=[] if field == "format" else [field])

    def test_a_missing_setting_is_named(self):
        settings = json.loads(self.good)["settings"]
        for field in settings:
            with self.subTest(setting=field):
                self.check_all([self.change(settings={k: v for k, v in settings.items() if k != field})],
                               words=[field.replace("_", "-")])

    def test_an_unknown_setting_is_named(self):
        self.check_all([self.change_in("settings", colour="red")], words=["colour"])

    def test_settings_that_no_command_line_could_give_are_refused(self):
        for field, values in {"algorithm": ["none", "", None, 1, "default"], "k": [0, 1, 3, -1, 2.5, "x", None, 10**25],
                              "radius": [0, -1, "nan", None, "auto", 1e300], "eta": [0, -1, "x", None, True],
                              "residual_looks": [0, 2, 99], "replacement": ["maybe", 1], "center": ["maybe", 1, None],
                              "average": ["none", 0], "x_bound": [0, -1], "passes": [0, 2, 10**12],
                              "examples": [-1, "x"],
                              "shuffle": ["x", 1], "seed": [-1, "x"], "budget": [-1], "split": [-1, 1, 2],
                              "missing": ["mean", "", 1, None, True], "log_target": ["maybe", 1, None]}.items():
            with self.subTest(setting=field):
                self.check_all([self.change_in("settings", **{field: v}) for v in values])

    def test_classes_that_no_command_line_could_give_are_refused(self):
        bad = [self.change_in("settings", classes=c) for c in ("1", "1,1", "", ",", 5)]
        self.check_all(bad, ("eval", "data.csv"))

    def test_a_ledger_that_contradicts_itself_is_refused(self):
        model = json.loads(self.good)
        ledger, purchases = model["ledger"], model["purchases"]
        self.check_all([self.change(purchases=[purchases[0] + 1, purchases[1]]),
                        self.change_in("ledger", attributes_bought=ledger["attributes_bought"] + 1),
                        self.change_in("ledger", looks_drawn=ledger["attributes_bought"] - 1),
                        self.change_in("ledger", max_bought_per_example=3),
                        self.change_in("ledger", max_bought_per_example=0),
                        self.change_in("ledger", examples=0),
                        self.change_in("ledger", missing_cells=ledger["attributes_bought"] + 1),
                        self.change_in("ledger", skipped_examples=1),
                        self.change_in("ledger", missing_cells=-1), self.change_in("ledger", missing_cells="1")])
        model["settings"]["missing"] = "skip-example"
        model["ledger"].update(missing_cells=2, skipped_examples=2)
        self.write("fine.json", sealed(model))
        self.succeeds("show", "fine.json")
        for cells, examples in ((1, 2), (2, 0), (0, 2), (ledger["attributes_bought"], ledger["examples"] + 1)):
            model["ledger"].update(missing_cells=cells, skipped_examples=examples)
            self.check_all([sealed(model)])
        model["settings"]["missing"] = "error"
        model["ledger"].update(missing_cells=1, skipped_examples=0)
        self.check_all([sealed(model)])

    def test_means_that_do_not_fit_are_refused(self):
        self.check_all([self.change(means=m) for m in ([], [1], [1, 2, 3], [1, None], [1, "2"], None, {}, 1)],
                       words=["means"])

    def test_purchases_that_add_up_only_by_overflow_are_refused(self):
        bought = json.loads(self.good)["ledger"]["attributes_bought"]
        self.check_all([self.change(purchases=[2**64 - 1, bought + 1])])

    def test_numbers_that_are_no_numbers_are_refused(self):
        for text in (b"1e999", b"-1e999", b"NaN", b"Infinity", b"01", b"+1", b".5", b"1.", b"0x1", b"1e", b"--1",
                     b'"1"', b"null", b"true", b"[1]", b"{}", b"1" * 400):
            for field in (b"intercept", b"weights"):
                body = self.good[:self.good.index(b',\n  "checksum"')]
                start = body.rindex(b'"%s": ' % field) + len(field) + 4 + (field == b"weights")
                end = min(i for i in (body.find(c, start) for c in (b",", b"]", b"\n")) if i > 0)
                self.check_all([seal(body[:start] + text + body[end:])])

    def test_counts_that_are_too_large_are_refused(self):
        self.check_all([self.change_in("ledger", examples=2**64), self.change_in("ledger", looks_drawn=10**40),
                        self.change_in("ledger", examples=-1), self.change_in("ledger", examples=1.5),
                        *[self.change(purchases=p) for p in ([2**70, 1], [-1, 1], [0.5, 0.5])]])

    def test_deep_nesting_is_refused(self):
        body = self.good[:self.good.index(b',\n  "checksum"')]
        self.check_all([b"[" * 100000, b'{"a":' * 100000, b"[" * 100000 + b"]" * 100000,
                        b'{"format":"scant-model","x":' + b"[" * 5000,
                        seal(body + b',\n  "x": ' + b"[" * 3000 + b"]" * 3000)])

    def test_texts_that_are_malformed_are_refused(self):
        body = self.good[:self.good.index(b',\n  "checksum"')]
        for text in (b'"\\x"', b'"\\u12"', b'"\\u12g4"', b'"a\nb"', b'"a', b"'a'", b'"\\"', b'"\t"'):
            self.check_all([seal(body.replace(b'"a0"', text))])

    def test_texts_that_are_no_names_are_refused(self):
        body = self.good[:self.good.index(b',\n  "checksum"')]
        for text in (b'"a\\u0000"', b'"\\ud83d"', b'"\\ude00\\ud83d"', b'"\xff"', b'"\xc3"'):
            self.check_all([seal(body.replace(b'"a0"', text))])

    def test_names_may_be_written_with_escapes(self):
        self.write("faces.csv", csv(["\U0001F600", "größe", "y"], [[1, 2, 3], [3, 4, 5]]))
        self.succeeds("fit", "faces.csv", "--algorithm", "auto", "-k", "2", "-q", "-o", "faces.json")
        model = {k: v for k, v in json.loads(self.read("faces.json")).items() if k != "checksum"}
        self.write("escaped.json", seal(json.dumps(model, ensure_ascii=True)[:-1]))
        self.assertEqual(self.succeeds("predict", "escaped.json", "faces.csv").out,
                         self.succeeds("predict", "faces.json", "faces.csv").out)

    def test_a_file_that_is_something_else_is_refused(self):
        self.check_all([b"", b"\n", b"hello\n", bytes(100), b"\x1f\x8b\x08\0", b"\xff\xfe{\0}\0", b"a,y\n1,2\n"])

    def test_a_field_that_comes_twice_is_refused(self):
        body = self.good[:self.good.index(b',\n  "checksum"')]
        self.check_all([seal(body + b',\n  "weights": [1, 2]'), seal(body + b',\n  "checksum": "0000000000000000"')])
