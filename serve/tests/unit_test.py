"""The units of docs/serve: what systemd says of them, and whether the service lives with what they forbid.  There need not
be a systemd that runs: the calls that the service makes are recorded and compared with the unit."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from service import SCANT, Service, ServiceTest

FILES = pathlib.Path(__file__).resolve().parents[1] / "deploy"
UNITS = ("scant-serve.service", "scant-backup.service", "scant-backup.timer")


def options(name):
    """[(option, value)] of a unit, in its order."""
    found = []
    for line in (FILES / name).read_text().splitlines():
        if line.strip() and line[0] not in "#[":
            found.append(tuple(line.split("=", 1)))
    return found


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class Unit(ServiceTest):
    def test_verify(self):
        """No option is misspelt; the program is the one that was built."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name in UNITS:
            text = (FILES / name).read_text()
            if name == "scant-serve.service":
                self.assertIn("/usr/local/bin/scant ", text)
                text = text.replace("/usr/local/bin/scant ", SCANT + " ")
            (folder / name).write_text(text)
        done = subprocess.run(["systemd-analyze", "verify", *(folder / name for name in UNITS)], capture_output=True,
                              text=True, timeout=60)
        said = "\n".join(line for line in (done.stdout + done.stderr).splitlines() if "scant" in line)
        self.assertEqual(said, "")

    def test_security(self):
        """What systemd thinks of it, from 0 (nothing is exposed) to 10; docs/serve.md has the figure of one version."""
        done = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--threshold=15", "--no-pager",
                               FILES / "scant-serve.service"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_page_has_the_command_of_the_unit(self):
        """The proxies and the unit agree on address, base path and name."""
        command = dict(options("scant-serve.service"))["ExecStart"]
        wanted = command[command.index("--listen"):]
        for name in ("nginx.conf", "Caddyfile"):
            self.assertIn(f"#   {wanted}\n", (FILES / name).read_text())


class Beside(ServiceTest):
    """What stands beside the unit, as far as it can be run without systemd."""

    def test_the_backup_is_made_while_the_study_is_served(self):
        service = self.serve()
        self.assertEqual(service.request("POST", "orders", {"examples": ["P-1"]}).status, 200)
        command = dict(options("scant-backup.service"))["ExecStart"]
        self.assertTrue(command.startswith("/bin/sh -ec '") and command.endswith("'"), command)
        script = command[len("/bin/sh -ec '"):-1].replace("$$", "$").replace("%%", "%")
        path = os.path.dirname(SCANT) + ":/usr/bin:/bin"
        done = subprocess.run(["/bin/sh", "-ec", script], cwd=self.folder, env={"PATH": path}, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("verified: 2 events, 1 order\n", done.stdout)
        made = [name for name in os.listdir(self.path("backups")) if name.endswith(".study")]
        self.assertEqual(len(made), 1)
        self.assertRegex(made[0], r"^clinic-\d{4}-\d\d-\d\d\.study$")

    def test_commands_run_as_the_user_of_the_unit(self):
        """scant-as and the backup have the user and the folder of the service."""
        self.write("systemd-run", '#!/bin/sh\nprintf "%s\\n" "$@"\n')
        os.chmod(self.path("systemd-run"), 0o755)
        done = subprocess.run([FILES / "scant-as", "token", "add", "a b"], capture_output=True, text=True, timeout=60, check=True,
                              env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        words = done.stdout.splitlines()
        self.assertEqual(words[words.index("--"):], ["--", "/usr/local/bin/scant", "token", "add", "a b"])
        backup, serve = options("scant-backup.service"), options("scant-serve.service")
        for name in ("DynamicUser", "User", "StateDirectory", "StateDirectoryMode", "WorkingDirectory", "UMask"):
            value = dict(serve)[name]
            self.assertIn(f"--property={name}={value}", words)
            self.assertIn((name, value), backup)


def expand(names):
    """The calls of sets such as @system-service."""
    found, todo = set(), list(names)
    while todo:
        name = todo.pop()
        if not name.startswith("@"):
            found.add(name)
            continue
        done = subprocess.run(["systemd-analyze", "syscall-filter", name, "--no-pager"], capture_output=True, text=True,
                              timeout=60, check=True, env={**os.environ, "SYSTEMD_COLORS": "0"})
        words = [line.strip() for line in done.stdout.splitlines()[1:]]
        todo += [word for word in words if word and not word.startswith("#")]
    return found


def can_trace():
    if not (shutil.which("strace") and shutil.which("systemd-analyze")):
        return False
    return subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


@unittest.skipUnless(can_trace(), "strace or systemd-analyze is not installed, or strace may not trace")
class Confined(ServiceTest):
    def day(self, service):
        """Some of everything."""
        enter, manage = ({"token": t} for t in ("enter", "manage"))
        for name in ("P-1", "P-2", "P-3"):
            answer = service.request("POST", "orders", {"examples": [name]}, **enter)
            self.assertEqual(answer.status, 200, str(answer))
            names = [line["name"] for line in answer.json["orders"][0]["lines"]]
            answers = {**dict.fromkeys(names, 5), "y": 1}
            told = service.request("POST", f"examples/{name}/answers", {"answers": answers}, **enter)
            self.assertEqual((told.status, told.json["state"]), (200, "learned"), str(told))
        for path in ("status", "model", "proof", "export/examples.csv", "export/looks.csv", "/metrics", "/", "/ready"):
            answer = service.request("GET", path, **manage)
            self.assertEqual(answer.status, 200, str(answer))
        etag = service.request("GET", "examples/P-3", **manage).headers["etag"]
        answer = service.request("POST", "examples/P-3/erase", {"reason": "consent"}, headers={"If-Match": etag}, **manage)
        self.assertEqual(answer.status, 200, str(answer))
        answer = service.request("POST", "freezes", {"name": "paper"}, **manage)
        self.assertEqual(answer.status, 200, str(answer))
        service.revoke_token("read")
        self.assertEqual(service.request("GET", "", token="read").status, 401)

    def test_it_needs_nothing_that_the_unit_forbids(self):
        trace = os.path.join(self.folder, "trace")
        service = Service(self.folder, wrapper=["strace", "-D", "-f", "-qq", "-o", trace], env={"ASAN_OPTIONS": "detect_leaks=0"})
        self.addCleanup(service.stop)
        self.day(service)
        self.assertEqual(service.stop(), 0)
        with open(trace, errors="replace") as file:
            lines = [re.sub(r"^\d+ +", "", line) for line in file]
        calls = {m[1] for line in lines if (m := re.match(r"([a-z_0-9]+)\(", line))}
        self.assertLess({"socket", "epoll_wait", "fdatasync", "openat"}, calls)

        said = options("scant-serve.service")
        allowed = set()
        for value in (value for option, value in said if option == "SystemCallFilter"):
            allowed = allowed - expand(value[1:].split()) if value[0] == "~" else allowed | expand(value.split())
        if os.geteuid() == 0:
            allowed.add("fchown")  # as root, SQLite gives its files to the owner of the study
        self.assertEqual(calls - allowed, set())

        families = {m[1] for line in lines if (m := re.match(r"socket\((\w+)", line))}
        self.assertLessEqual(families, set(dict(said)["RestrictAddressFamilies"].split()))

        # MemoryDenyWriteExecute
        self.assertEqual([line for line in lines if re.match(r"mmap.*PROT_WRITE\|PROT_EXEC|mprotect.*PROT_EXEC", line)], [])

        # ProtectSystem: it writes in its folder alone.
        written = {m[1] for line in lines
                   if (m := re.match(r'openat\(AT_FDCWD, "([^"]+)", [^)]*(?:O_WRONLY|O_RDWR|O_CREAT)', line))}
        self.assertGreater(len(written), 0)
        self.assertEqual({p for p in written if not p.startswith((self.folder, "/tmp/", "/var/tmp/", "/dev/null"))}, set())


if __name__ == "__main__":
    unittest.main()
