"""The service starts, routes and stops."""
import unittest

from service import ServiceTest


class Start(ServiceTest):
    def test_ready_and_problems(self):
        service = self.serve(tokens=False)
        answer = service.request("GET", "/ready", token=None)
        self.assertEqual((answer.status, answer.json), (200, {"ready": True}), str(answer))
        self.check_problem(service.request("GET", "/nothing", token=None), 404, "unknown")
        answer = service.request("DELETE", "/ready", token=None)
        self.check_problem(answer, 405, "method", "GET")
        self.assertEqual(answer.headers["allow"], "GET, HEAD")
        self.assertEqual(service.stop(), 0)


if __name__ == "__main__":
    unittest.main()
