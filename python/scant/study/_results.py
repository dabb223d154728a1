"""What a study has come to, what it is used for, and the proof of it."""

from __future__ import annotations

import ctypes
import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from ctypes import byref
from typing import Any

import numpy as np

from .. import _library as c
from .._fit import path_of
from .._model import Model
from .._options import OPTIONS, as_text
from ._catalogue import number_of
from ._handle import Opened
from ._records import Event, Outlook, Prediction, Proof, Purchase, Status
from ._words import answers_of, array_of, event_of, need_lapack, record_of


class Results(Opened):
    """Results of a :class:`Study`."""

    def status(self, until_error: float | None = None) -> Status:
        """Orders, money, and the squared error as the looks themselves tell it.

        With ``until_error`` the result has an ``outlook``: how many examples it takes until the squared
        error is that, by simulated studies with the settings of this one.  That takes a while, and LAPACK.
        """
        outlook = None
        with self._handle as own:
            status = c.StudyStatus()
            c.study_get_status(own, byref(status))
            if until_error is not None:
                outlook = self._foresee(own, until_error)
        return record_of(
            Status,
            status,
            spent=status.spent / 100,
            reserved=status.reserved / 100,
            budget=status.budget_cost / 100 or None,
            attributes_budget=status.budget or None,
            outlook=outlook,
        )

    def _foresee(self, own: Any, wanted: float) -> Outlook:
        need_lapack()
        found = c.StudyOutlook()
        c.study_foresee(own, number_of(wanted, "until_error"), 2, None, None, byref(found))
        reached = math.isfinite(found.examples)
        return record_of(
            Outlook,
            found,
            more=int(found.more) if reached else None,
            examples=int(found.examples) if reached else None,
        )

    def purchases(self) -> dict[str, Purchase]:
        """How often each attribute was measured, and for how much."""
        with self._handle as own:
            attributes = self.attributes
            times, money = np.zeros((2, len(attributes)), dtype=np.uint64)
            c.study_purchases(own, times.ctypes.data, money.ctypes.data)
        return {attribute.name: Purchase(int(times[i]), int(money[i]) / 100) for i, attribute in enumerate(attributes)}

    def ledger(self) -> Iterator[Event]:
        """Every event, the first first."""
        after = 0
        while (event := self._event_after(after)) is not None:
            yield event
            after = event.sequence

    def _event_after(self, after: int) -> Event | None:
        with self._handle as own:
            found = ctypes.POINTER(c.StudyEvent)()
            c.study_event_after(own, after, byref(found))
            if not found:
                return None
            return event_of(found.contents, self.attributes, self.target)

    # ---- using it

    def model(self, errors: bool = False, errors_of: str | Sequence[str] | None = None) -> Model:
        """The regressor so far: a model that the command takes, too.  ``errors`` adds standard errors, made of what was
        told; ``errors_of`` reads these attributes of a study of ``gaussian`` unpenalised, or "all"."""
        of = None if errors_of is None else as_text(OPTIONS["errors_of"], errors_of)
        with self._handle as own:
            if errors or of is not None:
                return Model(c.Owned(c.model_free, lambda out: c.study_model_errors(own, of, out)))
            return Model(c.Owned(c.model_free, lambda out: c.study_model(own, out)))

    def gaussian(self) -> Model:
        """The joint Gaussian of all that was told, whose ``predict_interval`` predicts from whatever is
        known.  It needs LAPACK, which a wheel leaves out."""
        need_lapack()
        with self._handle as own:
            return Model(c.Owned(c.model_free, lambda out: c.study_gaussian(own, out)))

    def looks(self) -> np.ndarray:
        """What was bought for the orders that were learned from: a line for each attribute of each, as
        docs/looks.md says.  ``example`` is the number of the order, from 0."""
        with tempfile.TemporaryDirectory() as folder:
            self.write_looks(os.path.join(folder, "looks.npy"))
            lines: np.ndarray = np.load(os.path.join(folder, "looks.npy"))
        return lines

    def write_looks(
        self,
        path: str | os.PathLike[str],
        pairs: str | os.PathLike[str] | None = None,
        *,
        pseudonyms: bool = False,
    ) -> None:
        """The same into a file, CSV or NPY by its name, and the probabilities of ``pairs`` into another one,
        where they have a closed form.  CSV has the names of the examples, or their ``pseudonyms``."""
        with self._handle as own:
            c.study_looks(own, path_of(path), None if pairs is None else path_of(pairs), bool(pseudonyms))

    def predict(
        self, values: Mapping[str, float | None] | None = None, /, *, level: float = 0.9, **named: float | None
    ) -> Prediction:
        """A prediction from the attributes given, by :meth:`gaussian`, with the interval that holds y
        with probability ``level``."""
        need_lapack()
        answers = array_of(answers_of(values, named))
        found = c.Prediction()
        with self._handle as own:
            c.study_predict(own, *answers, level, byref(found))
        return Prediction(found.mean, found.low, found.high)

    # ---- proving it

    def verify(self) -> Proof:
        """Replays the ledger from the start and compares it with everything in the file;
        :class:`DataError` says what is wrong and where."""
        proof = c.StudyProof()
        with self._handle as own:
            c.study_verify(own, byref(proof))
        return record_of(Proof, proof)

    def replay(self) -> None:
        """Makes orders, amounts and learner anew from the ledger."""
        with self._handle as own:
            c.study_replay(own)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """A copy in a new file, consistent also while others write."""
        with self._handle as own:
            c.study_backup(own, path_of(path))
