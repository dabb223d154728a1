"""Memory: files larger than it should be, files and pipes that would fill it, and where it is short."""
import gzip
import json
import os
import random
import re
import resource
import struct
import subprocess
import threading

from support import DATA, DIMENSION, SCANT, SECONDS, CommandTest, Run, Table, environment, gz, idx, npy, npy_header

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


MOST = 200 << 10  # KiB of memory; what is inflated would be 4 times as much


def feed(pipe, head, block):
    """Until nobody reads it any more."""
    with os.fdopen(pipe, "wb", buffering=0) as out:
        try:
            out.write(head)
            for _ in range((800 << 20) // len(block)):
                out.write(block)
        except BrokenPipeError:
            pass


class Bomb(CommandTest):
    def bomb(self, name, block, head=b""):
        """800 MiB of what a block repeats, in members of 16 MiB each."""
        member = gzip.compress(block * ((16 << 20) // len(block)), 6)
        self.write(name, (gzip.compress(head) if head else b"") + 50 * member)

    def refuses_early(self, words, *arguments, stdin=subprocess.DEVNULL):
        process = subprocess.Popen([SCANT, *map(str, arguments)], cwd=self.folder, env=environment(),
                                   stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.stdout.read(), process.stderr.read()  # a sentence fits into the pipe
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        process.stderr.close()
        result = Run(arguments, process.returncode, out.decode(), err.decode())
        self.check_refusal(result, DATA, *words)
        self.assertLess(used.ru_maxrss, MOST, f"KiB of memory: {result}")

    def setUp(self):
        super().setUp()
        self.write("data.csv", Table(20, DIMENSION).csv())
        self.fit = ("fit", "data.csv", "-k", "4", "-q")

    def test_zeros_are_no_text(self):
        for name in ("zeros.csv.gz", "zeros.svm.gz"):
            self.bomb(name, b"\0")
            self.refuses_early([name, "line 1", "NUL"], "fit", name, "-k", "4", "-q")
        self.refuses_early(["zeros.csv.gz", "NUL"], *self.fit, "--costs", "zeros.csv.gz")

    def test_zeros_behind_good_lines(self):
        self.bomb("late.csv.gz", b"\0", Table(20, DIMENSION).csv().encode())
        self.refuses_early(["late.csv.gz", "line 22", "NUL"], "fit", "late.csv.gz", "-k", "4", "-q")

    def test_images_longer_than_their_header_says(self):
        self.bomb("zeros.idx.gz", b"\0")
        self.write("labels.idx", struct.pack(">BBBBI", 0, 0, 8, 1, 4) + b"\1\2\3\4")
        self.refuses_early(["zeros.idx.gz", "not an IDX file"], "fit", "zeros.idx.gz", "--labels", "labels.idx", "-k", 2, "-q")
        self.bomb("long.idx.gz", b"\0", struct.pack(">BBBBII", 0, 0, 8, 2, 4, 3) + bytes(range(12)))
        self.refuses_early(["long.idx.gz", "longer than its header says"], "fit", "long.idx.gz", "--labels", "labels.idx",
                           "-k", 2, "-q")
        self.bomb("none.idx.gz", b"\0", struct.pack(">BBBB", 0, 0, 8, 0))
        self.refuses_early(["none.idx.gz", "0 dimensions"], "fit", "none.idx.gz", "--labels", "labels.idx", "-k", 2, "-q")

    def test_labels_that_are_too_many(self):
        self.write("images.idx", struct.pack(">BBBBII", 0, 0, 8, 2, 4, 3) + bytes(range(12)))
        self.bomb("many.idx.gz", b"\0", struct.pack(">BBBBI", 0, 0, 8, 1, 800 << 20))
        self.refuses_early(["many.idx.gz", "MiB"], "fit", "images.idx", "--labels", "many.idx.gz", "-k", 2, "-q")

    def test_a_line_that_does_not_end(self):
        """A list is small, and a table has lines; this takes up to 256 MiB of text."""
        self.bomb("line.csv.gz", b"0")
        for arguments in (("fit", "line.csv.gz", "-k", "4", "-q"), (*self.fit, "--costs", "line.csv.gz")):
            result = self.run_command(*arguments)
            self.check_refusal(result, DATA, "line.csv.gz", "256 MiB")

    def test_a_study_reads_lists(self):
        self.bomb("zeros.csv.gz", b"\0")
        if "catalogue" not in self.succeeds("help", "study").out:
            self.skipTest("this build has no studies")
        self.refuses_early(["zeros.csv.gz", "NUL"], "study", "create", "a.study", "--attributes", "zeros.csv.gz", "-k", "2")

    def test_pipes_that_never_end(self):
        self.succeeds(*self.fit, "-o", "model.json")
        self.refuses_early(["NUL"], "fit", "/dev/zero", "--format", "csv", "-k", "4", "-q")
        self.refuses_early(["NUL"], "fit", "/dev/zero", "--format", "libsvm", "-k", "4", "-q")
        self.refuses_early(["not an NPY file"], "fit", "/dev/zero", "--format", "npy", "--labels", "x", "-k", "4", "-q")
        self.refuses_early(["not an IDX file"], "fit", "/dev/zero", "--format", "idx", "--labels", "x", "-k", "4", "-q")
        self.refuses_early(["NUL"], *self.fit, "--costs", "/dev/zero")
        self.refuses_early(["NUL"], "show", "/dev/zero")

    def refuses_pipe(self, words, head, block, *arguments):
        """A pipe of `head` and then 800 MiB of what a block repeats."""
        ours, theirs = os.pipe()
        fed = threading.Thread(target=feed, args=(theirs, head, block))
        fed.start()
        try:
            self.refuses_early(words, *arguments, stdin=ours)
        finally:
            os.close(ours)
            fed.join()

    def test_pipes_that_begin_like_gzip(self):
        csv = ("fit", "/dev/stdin", "--format", "csv", "-k", "4", "-q")
        whole = gzip.compress(Table(20, DIMENSION).csv().encode())
        block = bytes(1 << 16)
        self.refuses_pipe(["gzip data are damaged"], b"\x1f\x8b", block, *csv)
        self.refuses_pipe(["gzip data are damaged"], whole, b"x" * (1 << 16), *csv)
        self.refuses_pipe(["gzip data are damaged"], whole + b"\0", b"x" * (1 << 16), *csv)
        self.refuses_pipe(["NUL"], whole, gzip.compress(bytes(1 << 20)), *csv)
        self.refuses_pipe(["256 MiB"], b"", 3000 * gzip.compress(b""), *self.fit, "--costs", "/dev/stdin")
        self.refuses_pipe(["uncompress it first"], b"\x1f\x8b\x08", block, "show", "/dev/stdin")

    def test_a_pipe_of_gzip_is_read(self):
        text = self.read("data.csv")
        text = text if isinstance(text, bytes) else text.encode()
        csv = ("fit", "/dev/stdin", "--format", "csv", "-k", "4", "-q", "-o", "piped.json")
        self.succeeds(*self.fit, "-o", "plain.json")
        for zipped in (gzip.compress(text), gzip.compress(text[:99]) + gzip.compress(text[99:]), gzip.compress(text) + bytes(999)):
            for cut in (1, 2, 5, 100, len(zipped)):  # what one read has
                ours, theirs = os.pipe()
                process = subprocess.Popen([SCANT, *csv], cwd=self.folder, env=environment(), stdin=ours,
                                           stdout=subprocess.DEVNULL)
                os.close(ours)
                with os.fdopen(theirs, "wb", buffering=0) as pipe:
                    pipe.write(zipped[:cut])
                    pipe.write(zipped[cut:])
                self.assertEqual(process.wait(timeout=SECONDS), 0)
                self.assertEqual(self.read("piped.json"), self.read("plain.json"))
        for short in (whole[:-1] for whole in (gzip.compress(text), gzip.compress(text[:99]) + gzip.compress(text[99:]))):
            self.refuses_pipe_of(short)

    def refuses_pipe_of(self, content):
        done = subprocess.run([SCANT, "fit", "/dev/stdin", "--format", "csv", "-k", "4", "-q"], cwd=self.folder, input=content,
                              env=environment(), capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, DATA)
        self.assertIn(b"cut short", done.stderr)


OTHER = 1
ROWS = (["gaussian", "-k", "4"], ["moments", "-k", "4"], ["full-ridge", "--radius", "1"], ["full-svr", "--radius", "1"],
        ["full-lasso", "--radius", "1"], ["auto", "-k", "4"])


class Limits(CommandTest):
    def not_sanitized(self):
        with open(SCANT, "rb") as program:
            if b"__asan_init" in program.read():
                self.skipTest("sanitizers map far more than any limit here allows")

    def limited(self, kind, mib, *words, **environment):
        def limit():
            resource.setrlimit(kind, (mib * MEBI, mib * MEBI))

        return subprocess.run([SCANT, *words], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS,
                              preexec_fn=limit, env={**os.environ, **environment}, check=False)

    def loads(self, mib):
        return self.limited(resource.RLIMIT_AS, mib, "version").returncode == 0

    def test_short_memory_is_said(self):
        self.not_sanitized()
        self.write("data.csv", Table(60, 8).csv())
        most = {row[0]: [] for row in ROWS}
        for mib in (96, 128, 160, 192, 224, 256, 320, 384, 512, 1024, 4096):
            if not self.loads(mib):
                continue  # not even the libraries fit
            for row in ROWS:
                done = self.limited(resource.RLIMIT_AS, mib, "fit", "data.csv", "-q", "--threads", "2", "--algorithm",
                                    *row)
                self.assertIn(done.returncode, (0, OTHER), done)
                most[row[0]].append(done.returncode)
                if done.returncode:
                    self.assertIn("out of memory", done.stderr)
                    self.assertEqual(done.stdout, "")
        for row, codes in most.items():
            self.assertEqual(codes[-1], 0, row)
            self.assertEqual(codes, sorted(codes, reverse=True), row)  # more memory is never worse
        self.assertFalse(any(most["auto"]))  # it needs next to nothing

    def test_the_number_of_blas_threads_is_no_way_around_it(self):
        self.not_sanitized()
        self.write("data.csv", Table(60, 8).csv())
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            for threads in ("1", "2", "8"):
                done = self.limited(kind, 160, "fit", "data.csv", "-q", "--algorithm", "gaussian", "-k", "4",
                                    OPENBLAS_NUM_THREADS=threads)
                self.assertIn(done.returncode, (0, OTHER), done)

    def test_a_loader_that_is_started_by_name(self):
        """As by package managers that bring their own: under a limit the command is still the one that was named."""
        self.not_sanitized()
        with open(SCANT, "rb") as program:
            head = program.read(1 << 16)
        found = re.search(rb"\0(/lib[^\0]*/ld-[^\0]+)\0", head)
        if not found:
            self.skipTest("the program names no loader")
        done = subprocess.run([found[1].decode(), SCANT, "version"], cwd=self.folder, capture_output=True, text=True,
                              timeout=SECONDS, env={**os.environ, "OPENBLAS_NUM_THREADS": "2"}, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4096 * MEBI, 4096 * MEBI)))
        self.assertEqual((done.returncode, done.stdout), (0, self.succeeds("version").out), done.stderr)
