"""What docs/threats.md says and no other test of the service does."""
import os
import stat
import unittest

from service import Browser, ServiceTest

PATIENT, NURSE, CHIEF = "Zebedee Zwick", "Quirina Quast", "Xaver Xylander"


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


class SameMachine(ServiceTest):
    def test_files_are_for_their_owner_alone(self):
        kept = os.umask(0)
        self.addCleanup(os.umask, kept)
        path = os.path.join(self.folder, "socket")
        service = self.serve(options=["--socket", path])
        self.assertEqual(service.request("POST", "orders", {"examples": [PATIENT]}).status, 200)
        self.assertTrue(stat.S_ISSOCK(os.stat(path).st_mode))
        found = [os.path.join(self.folder, name) for name in os.listdir(self.folder)]
        secret = [name for name in found if ".study" in name or name in (path, service.token_file)]
        self.assertGreaterEqual(len(secret), 4)
        self.assertEqual({name: oct(mode(name)) for name in secret}, dict.fromkeys(secret, "0o600"))
        with open(service.token_file) as file:
            text = file.read()
        for token in service.tokens.values():
            self.assertNotIn(token, text)
            self.assertNotIn(token[6:], text)
        self.assertEqual(service.stop(), 0)
        self.assertFalse(os.path.exists(path))


class Keys(ServiceTest):
    def test_the_key_of_the_pseudonyms_stays_in_the_file(self):
        """Who manages the study sees names, but must not be able to hand out what turns pseudonyms into them."""
        service = self.serve()
        events = service.request("GET", "events", token="manage")
        self.assertEqual(events.json["items"][0]["kind"], "create")
        self.assertIsNone(events.json["items"][0]["change"])
        self.assertNotIn("pseudonym-key", events.text)


class Readers(ServiceTest):
    def test_they_see_no_names(self):
        """In every answer to GET that they get, by token and by cookie."""
        service = self.serve(create=("-k", "2", "--by", CHIEF))
        service.add_token(NURSE, "enter")
        service.add_token(CHIEF, "manage")
        for name in (PATIENT, "Y-2", "Y-3"):
            order = service.request("POST", "orders", {"examples": [name]}, token=NURSE).json["orders"][0]
            values = {**{line["name"]: 5 for line in order["lines"]}, "y": 1}
            place = "examples/" + name.replace(" ", "%20")
            for how, who in (("answers", NURSE), ("second", CHIEF)):
                answer = service.request("POST", f"{place}/{how}", {"answers": values}, token=who)
                self.assertEqual(answer.status, 200, str(answer))
        answer = service.request("POST", "orders", {"examples": [PATIENT + " again"]}, token=NURSE)  # one that stays open
        self.assertEqual(answer.status, 200, str(answer))
        names = (PATIENT, PATIENT.replace(" ", "%20"), NURSE, CHIEF)
        shown = service.request("GET", "orders", token="enter").text
        self.assertIn(PATIENT, shown)  # the others do see them
        browser = Browser(service)
        browser.sign_in(token=service.tokens["read"])
        listed = service.request("GET", "/api/v1/openapi.json", token=None).json["paths"]
        paths = ["/api/v1" + path.removeprefix("/api/v1").replace("{study}", "clinic").replace("{example}", names[1])
                 for path, methods in listed.items() if "get" in methods]
        self.assertGreater(len(paths), 15)
        seen = 0
        for path in [*paths, "/metrics"]:
            for query in ("", "?pseudonyms=yes"):
                for answer in (service.request("GET", path + query, token="read"), browser.request("GET", path + query)):
                    if answer.status == 200:
                        seen += 1
                        for name in names:
                            self.assertNotIn(name, answer.text, path)
                            self.assertNotIn(name, str(answer.headers), path)
        self.assertGreater(seen, 25)


if __name__ == "__main__":
    unittest.main()
