"""Memory stays flat: reading, writing, repetitions, refusals and 304 over connections that stay.

SCANT_SERVE_MEMORY says how many requests (60,000).  Resident memory is looked at ten times.  It may grow by what SQLite's caches
take until they are full.
"""
import os
import shutil
import tempfile
import unittest

import loaded

REQUESTS = int(os.environ.get("SCANT_SERVE_MEMORY", "60000"))
GROWTH = 3 << 10  # kB


class MemoryTest(unittest.TestCase):
    def test_memory_stays_flat(self):
        folder = tempfile.mkdtemp(prefix="scant-test-")
        self.addCleanup(shutil.rmtree, folder)
        server = loaded.Server(os.environ["SCANT"], folder)
        server.start()
        try:
            load = loaded.Load(os.environ["SCANT_SERVE_LOAD"], server, "--clients", 20, "--seconds", 900, "--readings", 240, "--requests",
                               REQUESTS, "--pid", server.process.pid, "--every", REQUESTS // 10)
            found = load.end()
        finally:
            server.stop()
        loaded.check(server, load.journal)
        resident = found["resident"]
        print(f"# {found['requests']} requests, {found['writes']} writes, {found['requests_per_second']} per second; "
              f"resident, kB, every {REQUESTS // 10}: {' '.join(map(str, resident))}")
        self.assertGreaterEqual(len(resident), 10)
        self.assertLess(resident[-1] - resident[1], GROWTH)


if __name__ == "__main__":
    unittest.main()
