#!/usr/bin/env python3
"""scikit-learn's SGDRegressor as a peer of 'scant-lab bench'.

Says its name, then answers each line 'D N' with the nanoseconds that one of N
examples with D attributes takes in one pass: processor time, rows in order, on
data that need no conversion and are not searched for values that are not finite.
"""
import math
import sys
import time

import numpy
import sklearn
from sklearn.linear_model import SGDRegressor


def make_data(d, n):
    rng = numpy.random.default_rng(1)
    x = rng.uniform(-1, 1, (n, d))
    x /= math.sqrt(d)
    return x, x[:, 0] * math.sqrt(d) / 2 + rng.uniform(-0.5, 0.5, n)


def seconds(x, y):
    model = SGDRegressor(shuffle=False, max_iter=1, tol=None)
    start = time.process_time()
    model.fit(x, y)
    return time.process_time() - start


def main():
    sklearn.set_config(assume_finite=True)
    seconds(*make_data(2, 10))  # what is loaded at the first use
    print(f"SGDRegressor of scikit-learn {sklearn.__version__}", flush=True)
    size, data = None, None
    for line in sys.stdin:
        asked = tuple(int(word) for word in line.split())
        if asked != size:
            data = None  # gives its memory back first
            size, data = asked, make_data(*asked)
        print(f"{1e9 * seconds(*data) / asked[1]:.3f}", flush=True)


if __name__ == "__main__":
    main()
