#!/usr/bin/env python3
"""3 against 5 of MNIST, from a few pixels of each image.

The learner may look at 56 of the 784 pixels of a training image, or at 4.  What does
the squared error on the test images (targets -1 and +1) come to, beside linear models that
see all pixels?  Get the data with `make data` first.
"""

import argparse
import gzip
import pathlib

import numpy as np

import scant


def read_idx(folder, name):
    """One of MNIST's files, packed with gzip or not."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.exists():
            data = path.read_bytes()
            if data[:2] == b"\x1f\x8b":
                data = gzip.decompress(data)
            shape = np.frombuffer(data, dtype=">u4", count=data[3], offset=4)
            return np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * data[3]).reshape(shape)
    raise SystemExit(f"there is no {name} in {folder}: `make data` puts MNIST into data/mnist")


def threes_and_fives(folder, part):
    """Images as rows of pixels from 0 to 1, and -1 for a three, +1 for a five."""
    labels = read_idx(folder, f"{part}-labels-idx1-ubyte")
    images = read_idx(folder, f"{part}-images-idx3-ubyte")
    chosen = np.isin(labels, (3, 5))
    return images[chosen].reshape(-1, 784) / 255, np.where(labels[chosen] == 5, 1.0, -1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    folder = pathlib.Path("data/mnist")
    words = "where MNIST's four files are, packed with gzip or not (default: data/mnist)"
    parser.add_argument("folder", metavar="FOLDER", nargs="?", type=pathlib.Path, default=folder, help=words)
    parser.add_argument("--plot", metavar="FILE", help="draw the curves into this file (.png, .svg, .pdf)")
    parser.add_argument("--runs", type=int, default=5, help="runs, with seeds 0, 1, 2 ... (default: 5)")
    parser.add_argument("--jobs", type=int, help="runs at once")
    arguments = parser.parse_args()

    X, y = threes_and_fives(arguments.folder, "train")
    X_test, y_test = threes_and_fives(arguments.folder, "t10k")
    print(f"{len(y):,} training images, {len(y_test):,} test images of {X.shape[1]} pixels\n")

    # AERR of the paper has settings to choose; these were, on the last fifth of the training images.
    by_hand = {"center": True, "residual_looks": 28, "replacement": False, "x_bound": 10, "radius": 10, "eta": 0.025}
    curve = scant.budget_curve(
        {
            "auto, 56 pixels of each": scant.LimitedRegressor(algorithm="auto", k=56),
            "auto, 4 pixels of each": scant.LimitedRegressor(algorithm="auto", k=4),
            "AERR, 56 pixels of each": scant.LimitedRidge(algorithm="aerr", k=56, **by_hand),
        },
        X,
        y,
        X_test=X_test,
        y_test=y_test,
        runs=arguments.runs,
        n_jobs=arguments.jobs,
    )
    print(curve)

    few, all_of_them = curve["auto, 56 pixels of each"], curve["RidgeCV"]
    print(
        f"\nWith {few.attributes[-1] / all_of_them.attributes[0]:.1%} of the pixels the error is {few.error[-1]:.3f}; "
        f"ridge regression on all of them has {all_of_them.error[0]:.3f}."
    )
    if arguments.plot:
        curve.plot().figure.savefig(arguments.plot, dpi=150)
        print(f"The curves are in {arguments.plot}.")


if __name__ == "__main__":
    main()
