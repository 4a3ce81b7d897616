"""A client of any server with the OpenAI-compatible chat protocol, within a budget."""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("LLM_URL", "")  # such as http://127.0.0.1:11434/v1
MODEL = os.environ.get("LLM_MODEL", "")
KEY = os.environ.get("LLM_KEY", "").strip()
# More fields of each request, such as "temperature" or "max_completion_tokens".
OPTIONS = json.loads(os.environ.get("LLM_OPTIONS", '{"max_tokens": 1000}'))
# The budget of one run of the program.
BUDGET_TOKENS = int(os.environ.get("LLM_BUDGET_TOKENS", "2000000"))
BUDGET_MINUTES = float(os.environ.get("LLM_BUDGET_MINUTES", "600"))  # of waiting for the server

TRIES = 3
PAUSE_S = 1.0  # after the first failure; the next one is twice as long
MOST_BYTES = 1_000_000  # of an answer
# Of the connection, of HTTP, and of an answer that is not what the protocol says.
FAILURES = OSError, http.client.HTTPException, ValueError, LookupError, TypeError, AttributeError


class NoAnswer(Exception):
    """There is no usable answer. The arena shows this text to everyone, so it has no secrets."""


class Spent(Exception):
    """The budget is spent."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, so that the key goes to LLM_URL only."""

    def redirect_request(self, *_):
        return None


class Chat:
    """Asks the model, and counts what that costs."""

    def __init__(self):
        """Raises ValueError for settings that cannot work."""
        if not URL.startswith(("http://", "https://")) or not MODEL:
            raise ValueError(
                "Set LLM_URL to the address of the server, such as http://127.0.0.1:11434/v1, and"
                " LLM_MODEL to the name of the model."
            )
        if not (KEY.isascii() and KEY.isprintable()):
            raise ValueError("LLM_KEY contains characters that a key cannot have. Copy it again.")
        self.opener = urllib.request.build_opener(NoRedirect)
        self.tokens, self.seconds = 0, 0.0

    def ask(self, messages, deadline):
        """Returns the model's answer and its thoughts, both as text.

        `deadline` is a time of time.monotonic(). Raises NoAnswer and Spent.
        """
        problem = "there was no time left"
        for number in range(TRIES):
            if self.tokens >= BUDGET_TOKENS or self.seconds >= 60 * BUDGET_MINUTES:
                raise Spent
            pause = PAUSE_S * 2**number
            started = time.monotonic()
            if started >= deadline:
                break
            try:
                return self.post(messages, deadline)
            except urllib.error.HTTPError as error:
                problem = f"status {error.code}"
                self.log(f"{problem}: {body_of(error)}")
                if error.code != 429 and error.code < 500:
                    break
                after = error.headers.get("Retry-After", "")
                pause = max(pause, float(after)) if after.isdecimal() else pause
            except FAILURES as error:
                problem = "a timeout" if "timed out" in str(error) else type(error).__name__
                self.log(f"{problem}: {error}")
            finally:
                self.seconds += time.monotonic() - started
            if time.monotonic() + pause >= deadline:
                break
            time.sleep(pause)
        raise NoAnswer(f"The language model gave no answer: {problem}.")

    def post(self, messages, deadline):
        body = json.dumps({**OPTIONS, "model": MODEL, "messages": messages}).encode()
        headers = {"Content-Type": "application/json"}
        if KEY:
            headers["Authorization"] = f"Bearer {KEY}"
        request = urllib.request.Request(f"{URL.rstrip('/')}/chat/completions", body, headers)
        spent = len(body) // 4  # about this, if the server does not say
        answer = bytearray()
        try:
            left = max(0.1, deadline - time.monotonic())
            with self.opener.open(request, timeout=left) as response:
                while part := response.read1():
                    answer += part
                    if len(answer) > MOST_BYTES:
                        raise ValueError(f"the answer has more than {MOST_BYTES} bytes")
                    if time.monotonic() >= deadline:
                        raise TimeoutError("the answer timed out")
            said = json.loads(answer)
            spent += len(answer) // 4
            used = (said.get("usage") or {}).get("total_tokens")
            spent = used if isinstance(used, int) and used > 0 else spent
        finally:
            self.tokens += spent
        message = said["choices"][0]["message"]
        thoughts = message.get("reasoning_content") or message.get("reasoning")
        return str(message["content"] or ""), str(thoughts or "")

    def log(self, text):
        """Prints a problem, without the key if the server repeats it."""
        text = text.replace(KEY, "***") if KEY else text
        print(f"Language model: {text[:500]!r}", file=sys.stderr)


def body_of(error):
    """Returns what the server says about an error."""
    try:
        return error.read(10_000).decode(errors="replace")
    except FAILURES:
        return ""
