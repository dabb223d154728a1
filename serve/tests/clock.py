"""The time of a server under test: a file of one double (SCANT_TEST_CLOCK, see serve/http/server.c).  It stands still unless a
test moves it, so no deadline of the server depends on how fast or how busy the machine is."""
import mmap
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "command", "tests"))
from until import SECONDS, until  # noqa: E402,F401


class Clock:
    def __init__(self, path):
        self.path = path
        if not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(struct.pack("d", 1000.0))
        with open(path, "r+b") as file:
            self.seconds = memoryview(mmap.mmap(file.fileno(), 8)).cast("d")

    def advance(self, seconds):
        self.seconds[0] += seconds

    def run_until(self, condition, why):
        """Lets a second pass again and again until there is a state."""
        def look():
            self.advance(1)
            return condition()
        return until(look, why)
