"""Where a service is, and how it is reached."""

from __future__ import annotations

import base64
import contextlib
import http.client
import ipaddress
import socket
import ssl
import urllib.parse
import urllib.request

from .._errors import UsageError

_PORTS = {"http": 80, "https": 443}


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a socket that has a name in the file system."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            end.settimeout(self.timeout)
            end.connect(self._path)
        except BaseException:
            end.close()
            raise
        self.sock = end


def _is_loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host.lower() == "localhost"


class Address:
    """A URL that :func:`scant.connect` takes.  Sentences about it never repeat what may be a secret in it."""

    def __init__(self, url: str, in_clear: bool) -> None:
        if not isinstance(url, str):
            raise UsageError(f"the address of a service is a text, not {type(url).__name__}")
        if not url.isprintable() or " " in url:
            raise UsageError("the address of a service has blanks or control characters in it")
        try:
            parts = urllib.parse.urlsplit(url)
            port = parts.port
        except ValueError as wrong:
            raise UsageError(f"the address of a service is wrong: {wrong}") from None
        self.scheme, self.host, self.base = parts.scheme.lower(), parts.hostname or "", parts.path.rstrip("/")
        self.port = port if port is not None else _PORTS.get(self.scheme, 0)
        self._check(parts)
        self._proxy = None if self.scheme == "unix" or _is_loopback(self.host) else self._find_proxy()
        if self.scheme == "http" and not _is_loopback(self.host) and not in_clear:
            raise UsageError(
                f"the token would go to {self.host} in clear: use https, or in_clear=True in a network that you trust"
            )
        self._context = ssl.create_default_context() if self.scheme == "https" else None

    def _check(self, parts: urllib.parse.SplitResult) -> None:
        if parts.fragment.startswith("code="):
            raise UsageError(
                "this is the link by which a person signs in on the page, once; a program has a token, which "
                "`scant token add` makes"
            )
        if parts.username is not None or parts.password is not None:
            raise UsageError("the address of a service has no name and password in it: the token says who you are")
        if parts.query or parts.fragment:
            raise UsageError("the address of a service has neither a query nor a fragment")
        if self.scheme == "unix":
            if self.host or not self.base.startswith("/"):
                raise UsageError("the address of a socket is unix:///PATH")
            self.base, self.path = "", urllib.parse.unquote(parts.path)
        elif self.scheme not in _PORTS or not self.host:
            raise UsageError("the address of a service is http://HOST:PORT, https://HOST or unix:///PATH")

    def _find_proxy(self) -> urllib.parse.SplitResult | None:
        """As the environment says; a service on this machine is always reached directly."""
        found = urllib.request.getproxies().get(self.scheme)
        if not found or urllib.request.proxy_bypass(self.host):
            return None
        parts = urllib.parse.urlsplit(found if "://" in found else "http://" + found)
        if parts.scheme.lower() != "http" or not parts.hostname:
            raise UsageError(f"the proxy that the environment names for {self.scheme} is none that speaks http")
        return parts

    @property
    def text(self) -> str:
        if self.scheme == "unix":
            return f"unix://{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.base}"

    def connection(self, timeout: float) -> http.client.HTTPConnection:
        """A new one, which is not open yet."""
        if self.scheme == "unix":
            return _UnixConnection(self.path, timeout)
        host, port = self.host, self.port
        if self._proxy:
            host, port = self._proxy.hostname or "", self._proxy.port or 80
        if self.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=timeout)
        made = http.client.HTTPSConnection(host, port, timeout=timeout, context=self._context)
        if self._proxy:
            made.set_tunnel(self.host, self.port, headers=self._proxy_headers())
        return made

    def _proxy_headers(self) -> dict[str, str]:
        if not self._proxy or self._proxy.username is None:
            return {}
        name, word = (urllib.parse.unquote(part or "") for part in (self._proxy.username, self._proxy.password))
        return {"Proxy-Authorization": "Basic " + base64.b64encode(f"{name}:{word}".encode()).decode()}

    @property
    def via_proxy(self) -> dict[str, str]:
        """Headers for a proxy that reads requests, as those for plain HTTP do."""
        return self._proxy_headers() if self.scheme == "http" else {}

    def target(self, path: str) -> str:
        """What a request asks for."""
        return self.text + path if self._proxy and self.scheme == "http" else self.base + path
