"""Sentences with commands in backticks, as HTML."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

COMMAND = re.compile(r"`([^`]+)`")


def ticked(sentence: str) -> Markup:
    """Return the escaped sentence with its commands as code."""
    return Markup(COMMAND.sub(r"<code>\1</code>", str(escape(sentence))))  # noqa: S704
