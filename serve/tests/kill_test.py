"""kill -9 of the server at random moments under load: what was acknowledged is there exactly once, and nothing is doubled.

SCANT_SERVE_KILLS says how often (5).  The clients go on when the server is back, and repeat what was not acknowledged with
the same keys; each fifth request is sent twice, each tenth connection cut, besides.
"""
import os
import random
import shutil
import tempfile
import time
import unittest

import loaded

KILLS = int(os.environ.get("SCANT_SERVE_KILLS", "5"))


class KillTest(unittest.TestCase):
    def run_kills(self, algorithm, kills, seed):
        folder = tempfile.mkdtemp(prefix="scant-test-")
        self.addCleanup(shutil.rmtree, folder)
        draw = random.Random(seed)
        server = loaded.Server(os.environ["SCANT"], folder, algorithm)
        server.start()
        load = loaded.Load(os.environ["SCANT_SERVE_LOAD"], server, "--clients", 50, "--seconds", 800)
        try:
            for _ in range(kills):
                time.sleep(draw.uniform(0.02, 0.3))  # so that it falls anywhere, in the start too
                self.assertIsNone(load.process.poll(), "the load has ended")
                server.kill()
                server.start()
            time.sleep(0.3)
            found = load.end(stop=True, seconds=120)
        finally:
            load.process.kill()
            server.stop()
        self.assertGreater(found["lost"], 0, "no kill was noticed")
        self.assertGreater(found["replayed"], 0)
        steps = loaded.check(server, load.journal)
        self.assertGreater(steps, kills)
        print(f"# {algorithm}: {kills} kills, {steps} acknowledged steps, {found['lost']} connections lost, "
              f"{found['doubled']} requests sent twice, {found['cut']} cut, {found['replayed']} answers replayed")

    def test_killed_with_auto(self):
        self.run_kills("auto", KILLS - KILLS // 4, 1)

    def test_killed_with_gaussian(self):
        self.run_kills("gaussian", max(1, KILLS // 4), 2)


if __name__ == "__main__":
    unittest.main()
