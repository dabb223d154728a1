"""Waiting for a state: how long it takes means nothing, and only what hangs is ended."""
import time

SECONDS = 600  # what takes longer hangs


def until(condition, why):
    """Waits for a state, and gives the true value of the condition; why: a sentence, or a function that makes it."""
    end = time.monotonic() + SECONDS
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"after {SECONDS} seconds: {why() if callable(why) else why}")
        time.sleep(0.01)
    return found
