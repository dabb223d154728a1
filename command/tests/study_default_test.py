"""What a study takes where no algorithm is named: it is chosen once, when the study is made."""
import pathlib
import re

from support import USAGE, CommandTest

HEADER = (pathlib.Path(__file__).parents[2] / "core" / "include" / "scant.h").read_text()
WORK = float(re.search(r"#define SCANT_DEFAULT_WORK (\S+)", HEADER)[1])


class Study(CommandTest):
    def create(self, name, catalogue, *words):
        self.write("attributes.csv", catalogue)
        return self.succeeds("study", "create", name, "--attributes", "attributes.csv", *words).out

    def algorithm(self, name):
        return self.succeeds("study", "status", name, "--json").json["algorithm"]

    def test_gaussian_wherever_it_can_be(self):
        """Answers that come late teach it as much as others.  Only its memory limits it."""
        plain = "name\n" + "".join(f"a{i}\n" for i in range(6))
        late = "\ndefault: gaussian, since what is told late teaches it as much as what is told at once\n"
        out = self.create("small.study", plain, "-k", "3")
        self.assertIn("\ngaussian, K = 3; nothing has a price\n", out)
        self.assertIn(late, out)
        self.assertEqual(self.algorithm("small.study"), "gaussian")
        wide = "name\n" + "".join(f"a{i}\n" for i in range(int((WORK / 8) ** (1 / 3)) + 2))
        self.assertIn(late, self.create("wide.study", wide, "-k", "3"))  # where a fit takes auto
        self.assertIn(late, self.create("more.study", plain, "-k", "6", "--examples", "100000"))
        self.assertRegex(self.create("many.study", plain, "-k", "6", "--examples", "100000000"),
                         r"\ndefault: auto, since gaussian needs \S+ GiB for 6 attributes, and option memory allows 4")
        wider = "name\n" + "".join(f"a{i}\n" for i in range(9000))
        self.assertRegex(self.create("wider.study", wider, "-k", "3"),
                         r"\ndefault: auto, since gaussian needs \S+ GiB for 9000 attributes, and option memory allows 4")
        self.assertEqual(self.algorithm("wider.study"), "auto")

    def test_options_and_names(self):
        plain = "name\n" + "".join(f"a{i}\n" for i in range(6))
        out = self.create("units.study", plain, "-k", "3", "--like-units")
        self.assertIn("\ndefault: auto, since only it takes like-units\n", out)
        self.assertNotIn("default", self.create("named.study", plain, "-k", "3", "--algorithm", "auto"))
        self.refuses(USAGE, ["radius", "neither gaussian nor auto"], "study", "create", "bad.study", "--attributes",
                     "attributes.csv", "-k", "3", "--radius", "2")
        self.assertIn("\ndefault: auto, since gaussian needs ", self.create("tight.study", plain, "-k", "3", "--memory", "1e-6"))

    def test_known_attributes_groups_and_prices(self):
        """They need looks that follow prices."""
        for name, catalogue in (("a", "name,known\nage,yes\nx,no\ny1,no\nz,no\n"),
                                ("b", "name,group\na,p\nb,p\nc,\nd,\n"), ("c", "name,cost\na,1\nb,2\nc,3\n")):
            self.create(f"{name}.study", catalogue, "-k", "2")
            order = self.succeeds("study", "ask", f"{name}.study", "P1", "--json").json
            told = [f"{line['name']}=1" for line in order["lines"]]
            self.assertIn(self.algorithm(f"{name}.study"), ("auto", "gaussian"))
            self.succeeds("study", "tell", f"{name}.study", "P1", *told, "y=2")
            self.assertIn("verified", self.succeeds("study", "verify", f"{name}.study").out)

    def test_replay_goes_on_with_what_was_taken(self):
        plain = "name\n" + "".join(f"a{i}\n" for i in range(6))
        self.create("s.study", plain, "-k", "3")
        for i in range(30):
            order = self.succeeds("study", "ask", "s.study", f"P{i}", "--json").json
            told = [f"{line['name']}={(i * 7 + place) % 5}" for place, line in enumerate(order["lines"])]
            self.succeeds("study", "tell", "s.study", f"P{i}", *told, f"y={i % 3}")
        self.succeeds("study", "replay", "s.study")
        self.assertIn("the learner is the same bit for bit", self.succeeds("study", "verify", "s.study").out)
        self.assertEqual(self.algorithm("s.study"), "gaussian")
