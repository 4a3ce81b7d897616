"""python -m unittest"""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from unittest import mock

from arena.bots import HOUSE
from arena.sdk import play

import chat
import mybot


class Model(BaseHTTPRequestHandler):
    """Names the first legal action."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        legal = asked["messages"][1]["content"].rpartition("Legal actions: ")[2].split(", ")
        said = {"choices": [{"message": {"content": f"I take this one: [{legal[0]}]"}}]}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

    def log_message(self, *_):
        """Prints nothing."""


class Watched(mybot.MyBot):
    """MyBot; it remembers its faults."""

    reasons = ()

    def on_fault(self, fault):
        self.reasons += (fault.reason,)


class TestMyBot(unittest.TestCase):
    def test_it_plays_whole_matches_without_a_fault(self):
        server = HTTPServer(("127.0.0.1", 0), Model)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}/v1"
        with mock.patch.multiple(chat, URL=url, MODEL="test"), mock.patch.object(
            Watched, "keep", lambda *_: None
        ):
            for game in mybot.MyBot.games:
                bot = Watched()
                play([bot, HOUSE["random"](), HOUSE["sharp"]()], game, seed=1)
                self.assertEqual(bot.reasons, (), game)


if __name__ == "__main__":
    unittest.main()
