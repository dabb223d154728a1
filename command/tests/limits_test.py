"""Where memory is short: an exit code and a sentence, never a program that does not end."""

import os
import re
import resource
import subprocess

from support import SCANT, CommandTest, Table

OTHER = 1
PATIENCE = 120  # seconds; a fit takes a tenth of one
MIB = 1 << 20
ROWS = (["gaussian", "-k", "4"], ["moments", "-k", "4"], ["full-ridge", "--radius", "1"], ["full-svr", "--radius", "1"],
        ["full-lasso", "--radius", "1"], ["auto", "-k", "4"])


def sanitized():
    """Sanitizers map far more than any limit here allows."""
    with open(SCANT, "rb") as program:
        return b"__asan_init" in program.read()


class Limits(CommandTest):
    def limited(self, kind, mib, *words, **environment):
        def limit():
            resource.setrlimit(kind, (mib * MIB, mib * MIB))

        return subprocess.run([SCANT, *words], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              preexec_fn=limit, env={**os.environ, **environment}, check=False)

    def loads(self, mib):
        return self.limited(resource.RLIMIT_AS, mib, "version").returncode == 0

    def test_short_memory_is_said(self):
        if sanitized():
            return
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
        if sanitized():
            return
        self.write("data.csv", Table(60, 8).csv())
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            for threads in ("1", "2", "8"):
                done = self.limited(kind, 160, "fit", "data.csv", "-q", "--algorithm", "gaussian", "-k", "4",
                                    OPENBLAS_NUM_THREADS=threads)
                self.assertIn(done.returncode, (0, OTHER), done)

    def test_a_loader_that_is_started_by_name(self):
        """As by package managers that bring their own: under a limit the command is still the one that was named."""
        if sanitized():
            return
        with open(SCANT, "rb") as program:
            head = program.read(1 << 16)
        found = re.search(rb"\0(/lib[^\0]*/ld-[^\0]+)\0", head)
        if not found:
            self.skipTest("the program names no loader")
        done = subprocess.run([found[1].decode(), SCANT, "version"], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE, env={**os.environ, "OPENBLAS_NUM_THREADS": "2"}, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4096 * MIB, 4096 * MIB)))
        self.assertEqual((done.returncode, done.stdout), (0, self.succeeds("version").out), done.stderr)
