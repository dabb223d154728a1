"""Short files that inflate to long ones, and pipes that never end: they are refused before they fill the memory."""
import gzip
import os
import struct
import subprocess
import threading

from support import DATA, DIMENSION, SCANT, SECONDS, CommandTest, Run, Table, environment

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
