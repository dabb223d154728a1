"""Ports of this machine."""
import socket


class Port:
    """A free port that stays free for us, between two servers too: nobody is given it by chance, and whoever names it can
    listen there, since servers set SO_REUSEADDR."""

    def __init__(self):
        self.kept = socket.socket()
        self.kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.kept.bind(("127.0.0.1", 0))
        self.number = self.kept.getsockname()[1]

    def close(self):
        self.kept.close()
