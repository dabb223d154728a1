"""Estimators with the habits of scikit-learn's: fit, partial_fit, predict, score."""

from ._classifier import LimitedClassifier
from ._regressors import LimitedLasso, LimitedRegressor, LimitedRidge, LimitedSVR

__all__ = ["LimitedClassifier", "LimitedLasso", "LimitedRegressor", "LimitedRidge", "LimitedSVR"]
