#!/usr/bin/env python3
"""Compares src/solve with scikit-learn through the Lagrange mapping, and times both.

    sklearn_check.py SOLVE_CLI [--mnist DIR]

Our problems are constrained (||w|| <= B); the multiplier lambda that we return
gives the penalised problem with the same solution:
    ridge  Ridge(alpha=n*lambda)       sum of squares + n lambda ||w||^2
    lasso  Lasso(alpha=lambda)         1/(2n) sum of squares + lambda ||w||_1
    svr    LinearSVR(C=1/(n*lambda))   1/2 ||w||^2 + C sum of losses
TAP; one SKIP where scikit-learn can't be imported.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

try:
    import numpy as np
    from sklearn.linear_model import Lasso, Ridge
    from sklearn.svm import LinearSVR
except ImportError as why:
    print(f"1..0 # SKIP scikit-learn can't be imported: {why}")
    sys.exit(0)

warnings.filterwarnings("ignore")
tests = failures = 0


def check(good, name, detail=""):
    global tests, failures
    tests += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {tests} - {name}" + (f" # {detail}" if detail else ""), flush=True)


class Problem:
    def __init__(self, command, x, y, folder):
        self.command, self.x, self.y = command, np.ascontiguousarray(x, float), np.ascontiguousarray(y, float)
        self.path = os.path.join(folder, f"data-{id(self)}.bin")
        with open(self.path, "wb") as file:
            self.x.tofile(file)
            self.y.tofile(file)

    def arguments(self, kind, radius, *more):
        n, d = self.x.shape
        return [self.command, kind, self.path, str(n), str(d), repr(float(radius)), *map(str, more)]

    def solve(self, kind, radius, tube=0.0):
        out = subprocess.run(self.arguments(kind, radius, tube), capture_output=True, text=True, check=True).stdout
        first, *weights = out.split("\n")
        answer = dict(zip(("lambda", "value", "certificate", "constraint", "seconds"), map(float, first.split())))
        answer["w"] = np.array([float(v) for v in weights if v])
        return answer


def squared(p, w):
    return np.mean((p.x @ w - p.y) ** 2) / 2


def insensitive(p, w, tube):
    return np.mean(np.maximum(0, np.abs(p.x @ w - p.y) - tube))


def compare_ridge(p, radius, name):
    ours, n = p.solve("ridge", radius), len(p.y)
    theirs = Ridge(alpha=n * ours["lambda"], fit_intercept=False).fit(p.x, p.y).coef_
    away = np.linalg.norm(ours["w"] - theirs) / np.linalg.norm(theirs)
    check(away < 1e-7 and ours["certificate"] < 1e-10 and ours["constraint"] < 1e-12,
          f"ridge {name} B={radius:g}", f"weights {away:.1e}, kkt {ours['certificate']:.1e}")


def compare_lasso(p, radius, name):
    ours = p.solve("lasso", radius)
    penalty = ours["lambda"]
    theirs = Lasso(alpha=penalty, fit_intercept=False, tol=1e-12, max_iter=20000).fit(p.x, p.y).coef_
    value = squared(p, ours["w"]) + penalty * np.abs(ours["w"]).sum()
    other = squared(p, theirs) + penalty * np.abs(theirs).sum()
    away = np.abs(ours["w"] - theirs).max() / np.abs(theirs).max()
    # The weights of correlated pixels hardly matter, so the objective decides.
    check(value <= other * (1 + 1e-10) and other <= value * (1 + 1e-6) and ours["certificate"] < 1e-8
          and ours["constraint"] < 1e-12, f"lasso {name} B={radius:g}",
          f"objective {(other - value) / value:.1e} above ours, weights {away:.1e}, kkt {ours['certificate']:.1e}")


def compare_svr(p, radius, tube, name):
    ours, n = p.solve("svr", radius, tube), len(p.y)
    c = 1 / (n * ours["lambda"])
    model = LinearSVR(C=c, epsilon=tube, fit_intercept=False, loss="epsilon_insensitive", dual=True, tol=1e-7,
                      max_iter=200000 if n < 5000 else 2000, random_state=0)
    theirs = model.fit(p.x, p.y).coef_

    def penalised(w):
        return insensitive(p, w, tube) + ours["lambda"] / 2 * (w @ w)

    value, other = penalised(ours["w"]), penalised(theirs)
    check(value <= other * (1 + 1e-6) and other <= value * (1 + (1e-4 if n < 5000 else 1e-2))
          and ours["certificate"] < 1e-6,
          f"svr {name} B={radius:g} tube={tube:g}",
          f"objective {(other - value) / value:.1e} above ours, gap {ours['certificate']:.1e}, {ours['seconds']:.1f} s")


def random_problems(command, folder):
    random = np.random.default_rng(1)
    for n, d in ((200, 20), (60, 100), (500, 50)):
        x = random.normal(size=(n, d))
        y = x @ random.normal(size=d) / np.sqrt(d) + 0.3 * random.normal(size=n)
        p = Problem(command, x, y, folder)
        for radius in (0.1, 0.4, 0.8):
            compare_ridge(p, radius, f"{n}x{d}")
            compare_lasso(p, 3 * radius, f"{n}x{d}")
            compare_svr(p, radius, 0.1, f"{n}x{d}")
        compare_svr(p, 0.5, 0.0, f"{n}x{d}")


def read_mnist(folder):
    images, labels = [], []
    for part in ("train", "t10k"):
        x = np.fromfile(os.path.join(folder, f"{part}-images-idx3-ubyte"), np.uint8)[16:].reshape(-1, 784)
        y = np.fromfile(os.path.join(folder, f"{part}-labels-idx1-ubyte"), np.uint8)[8:]
        keep = np.isin(y, (3, 5))
        images.append(x[keep] / 255.0)
        labels.append(np.where(y[keep] == 5, 1.0, -1.0))
    return np.concatenate(images)[:12000], np.concatenate(labels)[:12000]


def race(p, kind, radius, model, name):
    """Medians of five interleaved repetitions, our prepare + solve against fit."""
    process = subprocess.Popen(p.arguments(kind, radius, 0, "repeat"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
    ours, theirs = [], []
    for repetition in range(6):
        time.sleep(0.3)  # both BLAS let their threads spin for a while after work, at the other's cost
        process.stdin.write("\n")
        process.stdin.flush()
        seconds = float(process.stdout.readline().split()[-1])
        time.sleep(0.3)
        start = time.perf_counter()
        model.fit(p.x, p.y)
        if repetition:  # the first warms both up
            ours.append(seconds)
            theirs.append(time.perf_counter() - start)
    process.stdin.close()
    process.wait()
    a, b = statistics.median(ours), statistics.median(theirs)
    check(a <= b, f"speed {kind} {name} B={radius:g}: at least as fast as scikit-learn",
          f"ours {a:.3f} s, theirs {b:.3f} s, theirs/ours {b / a:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--mnist", default="data/mnist")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        random_problems(options.command, folder)
        if os.path.isdir(options.mnist):
            p, name = Problem(options.command, *read_mnist(options.mnist), folder), "MNIST 3 vs 5"
        else:
            print(f"# SKIP MNIST: {options.mnist} is not there; random data of its size instead")
            random = np.random.default_rng(2)
            x = random.normal(size=(12000, 784))
            p, name = Problem(options.command, x, x @ random.normal(size=784) / 28, folder), "random 12000x784"
        for radius in (0.5, 1.0, 2.0):
            compare_ridge(p, radius, name)
        for radius in (1.0, 5.0, 15.0):
            compare_lasso(p, radius, name)
        compare_svr(p, 1.0, 0.1, name)
        # raced at the same penalty
        penalty = p.solve("ridge", 1.0)["lambda"]
        race(p, "ridge", 1.0, Ridge(alpha=len(p.y) * penalty, fit_intercept=False), name)
        for radius in (1.0, 5.0):
            penalty = p.solve("lasso", radius)["lambda"]
            race(p, "lasso", radius, Lasso(alpha=penalty, fit_intercept=False), name)
    print(f"1..{tests}")
    return 1 if failures or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
