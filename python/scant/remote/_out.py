"""What leaves a study that a service has: tables, looks and frozen copies."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from .._errors import FileError, UsageError
from ..study._catalogue import text_of
from ..study._records import Frozen
from ..study._tables import dictionary_of, frame_of, looks_of
from ._files import Path, Replacing, need_two
from ._link import Linked
from ._records import frozen_of, order_of, shaped
from ._wire import Unwritten

if TYPE_CHECKING:
    from pandas import DataFrame


class RemoteOut(Linked):
    """Tables and frozen copies of a :class:`RemoteStudy`."""

    def _fetch(self, name: str, file: BinaryIO, path: Any, pseudonyms: bool = False) -> None:
        query: Mapping[str, Any] = {"pseudonyms": "yes" if pseudonyms else None}
        try:
            self._wire.download(f"{self._path}/export/{name}", query, file)
        except Unwritten as failed:
            cause = failed.__cause__
            raise FileError(f"can't write '{path}': {getattr(cause, 'strerror', cause)}") from cause

    def export_csv(self, path: Path, dictionary: Path | None = None, *, pseudonyms: bool = False) -> None:
        """As :meth:`Study.export_csv`.  A token of the role *read* needs ``pseudonyms``."""
        if dictionary is None:
            dictionary = dictionary_of(path)
        with Replacing(path) as table, Replacing(dictionary) as columns:
            need_two(table, columns)
            self._fetch("examples.csv", table.file, path, pseudonyms)
            self._fetch("dictionary.csv", columns.file, dictionary, pseudonyms)
            table.end()
            columns.end()

    def export_events(self, path: Path, *, pseudonyms: bool = False) -> None:
        """As :meth:`Study.export_events`.  A token of the role *read* needs ``pseudonyms``."""
        with Replacing(path) as table:
            self._fetch("events.csv", table.file, path, pseudonyms)
            table.end()

    def to_frame(self, *, pseudonyms: bool = False) -> DataFrame:
        """As :meth:`Study.to_frame`."""
        with tempfile.TemporaryDirectory() as folder:
            table, dictionary = os.path.join(folder, "table.csv"), os.path.join(folder, "columns.csv")
            self.export_csv(table, dictionary, pseudonyms=pseudonyms)
            return frame_of(table, dictionary)

    def looks(self) -> np.ndarray:
        """As :meth:`Study.looks`."""
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "looks.csv")
            self.write_looks(table)
            learned = self._wire.pages(self._path + "/orders", {"state": "learned"})
            orders = {order.example: order.number - 1 for order in (shaped(order_of, item) for item in learned)}
            places = {attribute.name: i for i, attribute in enumerate(self._about().attributes)}
            return shaped(looks_of, table, orders, places)

    def write_looks(self, path: Path, pairs: Path | None = None, *, pseudonyms: bool = False) -> None:
        """As :meth:`Study.write_looks`, without ``pairs``, which a service does not give."""
        if pairs is not None:
            raise UsageError("a service does not give the probabilities of pairs: open the file of the study for them")
        text = os.fsdecode(path).lower()
        if not text.endswith((".csv", ".npy")):
            raise UsageError(f"the name of '{os.fsdecode(path)}' ends neither in .csv nor in .npy")
        with Replacing(path) as table:
            if text.endswith(".npy"):
                np.save(table.file, self.looks())
            else:
                self._fetch("looks.csv", table.file, path, pseudonyms)
            table.end()

    @property
    def frozen(self) -> str | None:
        """None: what is served can be written to, so it is no frozen copy."""
        return None

    def freeze(self, name: str, path: None = None) -> Frozen:
        """As :meth:`Study.freeze`, but the copy is put beside the file of the study, where the service runs; a ``path``
        is refused."""
        if path is not None:
            raise UsageError("a service puts a frozen copy beside the file of the study: give a name alone")
        body = {"name": text_of(name, "the name of the frozen copy").decode()}
        return shaped(frozen_of, self._wire.data(self._act("/freezes", body)))
