"""Files larger than memory should be: what a fit reads of them, and how much
memory it takes.  The large ones are sparse: holes that nobody wrote."""
import json
import os
import random
import resource
import struct
import subprocess

from support import CommandTest, SCANT, Table, environment, gz, idx, npy, npy_header

PAGE = resource.getpagesize()
MEBI = 1 << 20


def pages(*spans):
    """Bytes of the pages that hold these spans of a long file."""
    return PAGE * len({page for first, end in spans for page in range(first // PAGE, (end - 1) // PAGE + 1)})


class OutOfCore(CommandTest):
    def sparse(self, rows, columns, filled=()):
        """An NPY of zeros, but for filled = [(row, column, value)]; where its elements begin."""
        header = npy_header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}")
        self.write("big.npy", header)
        os.truncate(self.path("big.npy"), len(header) + 8 * rows * columns)
        with open(self.path("big.npy"), "r+b") as file:
            for row, column, value in filled:
                file.seek(len(header) + 8 * (row * columns + column))
                file.write(struct.pack("<d", value))
        draw = random.Random(1)
        self.write("y.npy", npy([draw.uniform(-1, 1) for _ in range(rows)]))
        return len(header)

    def fit_measured(self, *options):
        """The JSON object of a fit, and the most memory that it took."""
        words = [SCANT, "fit", "big.npy", "--labels", "y.npy", "-q", "--json", *options]
        with open(self.path("out.json"), "wb") as out:
            child = subprocess.Popen(words, cwd=self.folder, env=environment(), stdout=out, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return json.loads(self.read("out.json")), used.ru_maxrss * 1024

    def test_a_long_file_is_fitted_in_little_memory(self):
        rows = 65536  # of 64 KiB: 4 GiB, of which 1 GiB of pages is looked at
        self.sparse(rows, 8192)
        printed, memory = self.fit_measured("-k", "4")
        self.assertEqual((printed["examples"], printed["dimension"]), (rows, 8192))
        self.assertLess(memory, 512 * MEBI)
        self.assertLessEqual(printed["bytes_read"], (4 * rows * 2 + 1) * PAGE)
        self.assertGreaterEqual(printed["bytes_read"], rows * PAGE)

    def test_whole_examples_are_all_their_pages(self):
        for rows, columns in ((40000, 8192), (3000, 100), (3000, 600)):
            with self.subTest(rows=rows, columns=columns):
                start = self.sparse(rows, columns, [(0, 0, 0.5), (3, 7, -0.25)])
                width = 8 * columns
                options = ("--algorithm", "online-ridge", "--no-shuffle", "--examples", "9")
                printed, _ = self.fit_measured(*options)
                self.assertEqual(printed["attributes_bought"], 9 * columns)
                self.assertEqual(printed["bytes_read"], pages((0, start + 9 * width)))

    def test_held_out_examples_are_read_whole(self):
        rows, columns = 400, 8192
        start = self.sparse(rows, columns)
        options = ("--algorithm", "online-ridge", "--no-shuffle", "--examples", "3")
        printed, _ = self.fit_measured("--split", "0.975", *options)
        self.assertEqual(printed["test"]["examples"], 390)
        self.assertEqual(printed["bytes_read"] % PAGE, (start + rows * columns * 8) % PAGE)  # the last page is cut off
        self.assertGreaterEqual(printed["bytes_read"], 390 * columns * 8)
        self.assertLess(printed["bytes_read"], 395 * columns * 8)

    def test_a_long_file_gives_the_model_of_a_short_one(self):
        """The same rows in front of a file that is too long to stay in memory."""
        draw = random.Random(2)
        filled = [(row, column, draw.uniform(-1, 1)) for row in range(60) for column in range(16384)]
        models = []
        for rows in (60, 20000):  # of 128 KiB: 7.5 MiB and 2.4 GiB
            self.sparse(rows, 16384, filled)
            printed, _ = self.fit_measured("--no-shuffle", "--examples", "60", "-k", "6", "-o", "model.json")
            models.append((self.read("model.json"), printed["bytes_read"]))
        self.assertEqual(models[0], models[1])

    def test_text_and_compressed_files_count_whole(self):
        table = Table(40, 16)
        labels = self.write("y.idx", idx([i % 2 for i in range(40)], (40,)))
        images = idx([i * 7 % 256 for i in range(40 * 16)], (40, 4, 4))
        for name, content, options in (("a.csv", table.csv(), ()), ("a.svm", table.libsvm(), ()),
                                       ("a.csv.gz", gz(table.csv().encode()), ()),
                                       ("a-idx3.gz", gz(images), ("--labels", labels)),
                                       ("a-idx3", images, ("--labels", labels))):
            with self.subTest(name=name):
                self.write(name, content)
                printed, _ = self.fit(name, "-k", "4", *options)
                self.assertEqual(printed["bytes_read"], os.path.getsize(self.path(name)))
