"""A small OpenID provider, which stands for GitHub as well. Tests make its claims wrong."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from flask.testing import FlaskClient
from joserfc import jwt
from joserfc.jwk import RSAKey
from werkzeug.test import TestResponse

from arena.base.config import Settings
from dashboard.account import providers

KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
OTHER_KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})


class Provider(ThreadingHTTPServer):
    """A provider at which a person is signed in. Tests make its claims wrong."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.subject, self.name = "sub-1", "Nora N."
        self.key, self.wrong = KEY, dict[str, object]()
        self.asked: dict[str, str] = {}

    def allow(self, answer: TestResponse) -> str:
        """The person agrees: gives the query with which their browser is led back."""
        self.asked = {
            name: value[0] for name, value in parse_qs(urlsplit(answer.location).query).items()
        }
        return f"?code=good&state={self.asked['state']}"

    def id_token(self) -> str:
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": "client", "sub": self.subject, "name": self.name,
            "nonce": self.asked.get("nonce", ""), "iat": now, "exp": now + 60,
        }  # fmt: skip
        return str(jwt.encode({"alg": "RS256", "kid": "one"}, claims | self.wrong, self.key))


class Answers(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        base = self.server.url
        if self.path == "/user":
            self._tell({"id": 7, "login": "nora-hub"})
        elif self.path == "/keys":
            self._tell({"keys": [KEY.as_dict(private=False)]})
        else:
            ends = {
                "authorization_endpoint": "/authorize",
                "token_endpoint": "/access_token",
                "jwks_uri": "/keys",
            }
            told = {name: base + path for name, path in ends.items()}
            self._tell({"issuer": base, "id_token_signing_alg_values_supported": ["RS256"], **told})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: value[0] for name, value in parse_qs(body).items()}
        challenge = create_s256_code_challenge(form.get("code_verifier", ""))
        if form.get("code") != "good" or challenge != self.server.asked["code_challenge"]:
            self._tell({"error": "invalid_grant"}, 400)
        else:
            self._tell(
                {"access_token": "a", "token_type": "bearer", "id_token": self.server.id_token()}
            )

    def _tell(self, content: dict[str, object], status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Provider]:
    """A provider that answers; the dashboard takes it for GitHub, too."""
    with Provider() as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(providers, "GITHUB", server.url)
        patch.setattr(providers, "GITHUB_API", server.url)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def settings_of(provider: Provider) -> Settings:
    return Settings(
        oidc_issuer=provider.url,
        oidc_id="client",
        oidc_secret="secret",
        oidc_name="School",
        github_id="client",
        github_secret="secret",
        public_url="https://arena.example",
        people_per_address=100,
    )


def come(
    browser: FlaskClient, provider: Provider, word: str = "openid", more: str = ""
) -> TestResponse:
    """Goes to the provider, agrees, and comes back."""
    back = provider.allow(browser.get(f"/sign-in/with/{word}{more}"))
    return browser.get(f"/sign-in/from/{word}{back}")
