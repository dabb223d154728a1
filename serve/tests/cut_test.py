"""Clients that end their connections in the midst of a request leave no place taken."""
import re
import socket
import time

from service import ServiceTest

LONG = 15  # seconds; what is not noticed waits for more than 20


class CutTest(ServiceTest):
    def connections(self, service):
        text = service.request("GET", "/metrics", token="read").text
        return int(re.search(r"^scant_connections (\d+)", text, re.M).group(1))

    def cut(self, service, data, count=40):
        """The bytes and the end of the connection come at the same moment, or nearly so."""
        for _ in range(count):
            with socket.create_connection(tuple(service.host.rsplit(":", 1))) as client:
                client.sendall(data)

    def test_places_are_free_soon(self):
        service = self.serve()
        head = f"POST /api/v1/studies/clinic/orders HTTP/1.1\r\nHost: {service.host}\r\n".encode()
        typed = f"Authorization: Bearer {service.tokens['enter']}\r\nContent-Type: application/json\r\n".encode()
        for data in (head[:20], head, head + typed + b"Content-Length: 30\r\n\r\n{\"examples\"",
                     head + typed + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"ex"):
            with self.subTest(data=data[-20:]):
                self.cut(service, data)
        until = time.monotonic() + LONG
        while (left := self.connections(service)) > 1 and time.monotonic() < until:
            time.sleep(0.1)
        self.assertLessEqual(left, 1, "connections that nobody has any more")
        self.assertEqual(service.request("GET", "/api/v1/studies/clinic/orders", token="enter").json["items"], [])

    def test_the_server_ends_soon(self):
        service = self.serve()
        self.cut(service, f"GET /ready HTTP/1.1\r\nHost: {service.host}\r\n".encode())
        self.assertEqual(service.stop(), 0)

    def test_what_the_library_forgets_is_freed(self):
        """Under the sanitizers the end says what leaked; without them it takes long to end, since something is begun."""
        service = self.serve()
        for _ in range(3):
            service.exchange(f"POST /ready HTTP/1.1\r\nHost: {service.host}\r\nCookie: a=; =; ;;; b=\"\r\nContent-Length:`1\r\n\r\n".encode())
        start = time.monotonic()
        self.assertEqual(service.stop(), 0)
        self.assertLess(time.monotonic() - start, 9)
