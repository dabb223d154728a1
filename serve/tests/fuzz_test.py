"""Requests of mutated bytes: no crash, no leak, no answer 500, and the server stays ready (fuzz.c makes them).

SCANT_SERVE_FUZZ says how many requests (20,000).  Each 50,000 get a study of their own, whose server is then told to end: under
the sanitizers it says what leaked.
"""
import os
import shutil
import subprocess
import tempfile
import unittest

import loaded
from service import SANITIZERS

COUNT = int(os.environ.get("SCANT_SERVE_FUZZ", "20000"))
ROUND = 50000


class FuzzTest(unittest.TestCase):
    def run_round(self, count, seed):
        folder = tempfile.mkdtemp(prefix="scant-test-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        server = loaded.Server(os.environ["SCANT"], folder, k=6, dimension=8, options=("--max-open", 60, *(("--second-entry",) if seed % 2 == 0 else ())),
                               people=(("mia", "manage"), ("ole", "enter"), ("eva", "read")))
        server.start()
        try:
            done = subprocess.run([os.environ["SCANT_SERVE_FUZZER"], str(server.port), "load", server.token_file, str(count), str(seed)],
                                  capture_output=True, text=True, errors="replace", timeout=1500)
            self.assertIsNone(server.process.poll(), f"the server has ended\n{done.stdout}{server.said()}")
        finally:
            if server.process.poll() is None:
                server.stop()
        print("\n".join(line if line.startswith("#") else f"# {line}" for line in done.stdout.splitlines()
                        if done.returncode or line.startswith("#")), flush=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(SANITIZERS.search(server.said()), server.said())
        server.run("study", "verify", loaded.FILE)
        shutil.rmtree(folder)

    def test_mutated_requests(self):
        for seed, first in enumerate(range(0, COUNT, ROUND), 1):
            with self.subTest(seed=seed):
                self.run_round(min(ROUND, COUNT - first), seed)


if __name__ == "__main__":
    unittest.main()
