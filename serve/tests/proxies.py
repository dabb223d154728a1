"""The proxies of docs/serve, started with the files as they stand there, but for paths and ports."""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import time

FILES = pathlib.Path(__file__).resolve().parents[1] / "deploy"
NAME = "study.example.org"
OPTIONS = ("--behind-proxy", "--base-path", "/scant", "--host", NAME)  # of the service behind it


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


class Proxy:
    """A proxy in a folder of its own, before the service at `port` of this machine.  Its ports are tls_port and plain_port,
    and its certificate signs itself."""

    program = file = None

    def __init__(self, folder, port):
        self.folder, self.service_port = str(folder), port
        self.certificate = os.path.join(self.folder, "cert.pem")
        os.mkdir(self.folder)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", os.path.join(self.folder, "key.pem"), "-out", self.certificate, "-days", "2", "-subj",
                        f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"],
                       check=True, capture_output=True, timeout=60)
        self.start()

    @classmethod
    def lacks(cls):
        """Why it can't be tested here, or None."""
        missing = [program for program in (cls.program, "openssl") if not find(program)]
        return " and ".join(missing) + (" are" if len(missing) > 1 else " is") + " not installed" if missing else None

    def start(self):
        """Somebody else may take a port between the choice and the start: then with others."""
        for _ in range(5):
            self.tls_port, self.plain_port = free_port(), free_port()
            words = [find(self.program), *self.configure()]
            with open(os.path.join(self.folder, "proxy.txt"), "ab") as out:
                self.process = subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                env={**os.environ, "HOME": self.folder, "XDG_DATA_HOME": self.folder,
                                                     "XDG_CONFIG_HOME": self.folder})
            if self.answers():
                return
            self.end()
        raise AssertionError(f"{self.program} does not start: {self.logs()}")

    def answers(self):
        deadline = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.tls_port), 1):
                return True
            time.sleep(0.02)
        return False

    def end(self):
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
            return
        self.process.kill()
        self.process.wait()

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def substitute(self, changes):
        """The file of docs/serve with other paths and ports.  What is to be changed must be there."""
        lines = [line for line in (FILES / self.file).read_text().splitlines() if not line.lstrip().startswith("#")]
        text = "\n".join(lines) + "\n"
        common = [("/etc/ssl/scant", self.folder), ("127.0.0.1:8765", f"127.0.0.1:{self.service_port}")]
        for old, new in common + changes:
            assert old in text, f"{self.file} does not say '{old}'"
            text = text.replace(old, new)
        return self.write(self.file, text)

    def logs(self):
        """All that it wrote down, logs and bodies."""
        kept = (self.file, "main.conf", "cert.pem", "key.pem")
        found = [path for path in pathlib.Path(self.folder).rglob("*") if path.is_file() and path.name not in kept]
        return "".join(path.read_text(errors="replace") for path in found)


class Nginx(Proxy):
    program, file = "nginx", "nginx.conf"

    def configure(self):
        file = self.substitute([
            ("listen 80;", f"listen 127.0.0.1:{self.plain_port};"), ("listen [::]:80;", ""),
            ("listen 443 ", f"listen 127.0.0.1:{self.tls_port} "), ("listen [::]:443 ssl http2;", ""),
            ("/var/log/nginx", self.folder)])
        places = "".join(f"{name}_temp_path {self.folder}/{name}-temp;\n"
                         for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root root;\n" if os.geteuid() == 0 else ""
        # What stands around the file is as in Debian's nginx.conf.
        main = self.write("main.conf", f"daemon off;\npid {self.folder}/nginx.pid;\nworker_processes 1;\n{user}"
                          f"error_log {self.folder}/error.log;\nevents {{}}\nhttp {{\n{places}"
                          f"access_log {self.folder}/access.log;\ninclude {file};\n}}\n")
        return ["-p", self.folder, "-e", os.path.join(self.folder, "error.log"), "-c", main]


class Caddy(Proxy):
    program, file = "caddy", "Caddyfile"

    def configure(self):
        file = self.substitute([("\thttp_port 80", f"\thttp_port {self.plain_port}"),
                                ("https_port 443", f"https_port {self.tls_port}")])
        return ["run", "--adapter", "caddyfile", "--config", file]
