"""Studies that a service has: the same interface as that of a file, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._errors import UsageError
from ..study._catalogue import number_of
from ._orders import RemoteOrders
from ._out import RemoteOut
from ._records import shaped
from ._results import RemoteResults
from ._wire import Wire

# What a file can do and a service can't, and who can.
_ABSENT = {
    "backup": "backups are made where the service runs, by `scant study backup`, also while it runs",
    "check_frozen": "a frozen copy is checked where its file is, by `scant study verify`",
    "create": "a study is made where the service runs, by `scant study create`",
    "replay": "a ledger is replayed by `scant study replay`, when the service has ended",
    "sweep": "an erasure is finished by `scant study erase FILE --finish`, when the service has ended",
}


class RemoteStudy(RemoteOrders, RemoteResults, RemoteOut):
    """A study that a service has, with the interface of :class:`Study`: :func:`connect` makes one.

    Methods, keywords, records and exceptions are those of :class:`Study`, so that a script works with either.  What
    only a service can say is a :class:`ServiceError`.  Every method that writes is durable when it returns.  It is sent
    again if its answer was lost, and done once all the same.  Threads may share a remote study.

    ``backup``, ``replay``, ``sweep`` and whatever else needs the file is not here.

    Attributes
    ----------
    url : str
        Where the service is.
    name : str
        The name of the study there.
    """

    def __init__(self, wire: Wire, name: str) -> None:
        if not isinstance(wire, Wire):
            raise UsageError("scant.connect(url, token) makes a RemoteStudy")
        self.url, self.name = wire.address.text, name
        #: as of a :class:`Study` that was made before
        self.algorithm_why: str | None = None
        self._link(wire, name)

    def close(self) -> None:
        """Closes the connections; the service goes on."""
        self._wire.close()

    @property
    def closed(self) -> bool:
        """:meth:`close` was called."""
        return self._wire.closed

    def __enter__(self) -> RemoteStudy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    if not TYPE_CHECKING:  # else checkers would take every name for an attribute

        def __getattr__(self, name):
            if name in _ABSENT:
                raise AttributeError(f"a service does not {name.replace('_', ' ')}: {_ABSENT[name]}")
            raise AttributeError(f"'RemoteStudy' has no attribute {name!r}")

    def __reduce__(self) -> Any:
        raise TypeError("a connection is not written down: connect again instead")

    def __repr__(self) -> str:
        state = "closed" if self.closed else "open"
        return f"<RemoteStudy {self.name!r} at {self.url} of {len(self._known.attributes)} attributes, {state}>"


def connect(
    url: str,
    token: str,
    study: str | None = None,
    *,
    timeout: float = 60,
    retries: int = 5,
    in_clear: bool = False,
) -> RemoteStudy:
    """Opens a study of a service that ``scant serve`` runs.

    Parameters
    ----------
    url : str
        ``https://HOST`` with the base path, if there is one; ``http://127.0.0.1:8765`` on the same machine, or
        ``unix:///PATH`` for a socket.  Proxies of the environment are used for other machines alone.  Certificates are
        checked.
    token : str
        As ``scant token add`` printed it.  It says who you are and what you may do; it is sent to this address alone,
        and never shown.
    study : str, optional
        Which; default: the only one that the token opens.
    timeout : float
        Seconds to wait for a connection, and for each part of an answer.
    retries : int
        How often a request is sent again if the connection is lost, or the service says that it is busy.  Waits grow
        from a tenth of a second to ten, unless the service says how long.  What is sent again is never done twice.
    in_clear : bool
        Send the token to another machine by ``http``, where others may read it.

    Examples
    --------
    >>> import os, scant
    >>> token = os.environ["SCANT_TOKEN"]                                         # doctest: +SKIP
    >>> with scant.connect("https://clinic.example/study", token) as study:       # doctest: +SKIP
    ...     order = study.ask("patient 1")
    ...     study.tell("patient 1", age=61)
    ...     study.find("patient 1").state
    'partly told'
    """
    seconds = number_of(timeout, "timeout")
    if not 0 < seconds < 1e6:
        raise UsageError(f"timeout={timeout!r} is no number of seconds above 0")
    if not isinstance(retries, int) or not 0 <= retries <= 100:
        raise UsageError(f"retries={retries!r} is no number from 0 to 100")
    wire = Wire(url, token, seconds, retries, bool(in_clear))
    try:
        return RemoteStudy(wire, _choose(wire, study))
    except BaseException:
        wire.close()
        raise


def _choose(wire: Wire, study: str | None) -> str:
    names = [shaped(lambda item: str(item["name"]), item) for item in wire.pages("/studies")]
    if study is None and len(names) == 1:
        return names[0]
    listed = ", ".join(names) if names else "none"
    if study is None:
        raise UsageError(f"say which study: the token opens {listed}")
    if study not in names:
        raise UsageError(f"there is no study {study!r} for this token: it opens {listed}")
    return study
