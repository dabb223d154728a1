"""kill -9 of the server at random steps of a load: what was acknowledged is there exactly once, and nothing is doubled.

SCANT_SERVE_KILLS says how often (5).  The clients go on when the server is back, and repeat what was not acknowledged with
the same keys; each fifth request is sent twice, each tenth connection cut, besides.
"""
import os
import random
import shutil
import tempfile
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
        load = loaded.Load(os.environ["SCANT_SERVE_LOAD"], server, "--clients", 50, "--seconds", 36000)
        try:
            for i in range(kills):
                load.wait_for(draw.randrange(300) if i else 100)  # more steps; none: it falls into the start
                server.kill()
                server.start()
            load.wait_for(100)
            found = load.end(stop=True)
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
