"""Unpacks an upload, in a sandbox of its own: it may be made to harm whoever opens it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.hosting.hosted.inside.step import carry_out
from arena.hosting.submission import tree
from arena.hosting.submission.files import UPLOADED
from arena.hosting.submission.unpack import unpack


def main(arguments: Mapping[str, Any]) -> None:
    """Unpacks what comes."""
    carry_out(arguments, _work)


def _work(upload: bytes) -> Iterator[bytes]:
    return tree.write(unpack(upload), UPLOADED)
