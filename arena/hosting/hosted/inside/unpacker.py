"""Unpacks an upload in a separate sandbox, since it may exploit its reader."""

from collections.abc import Iterator, Mapping
from typing import Any

from arena.hosting.hosted.inside.step import carry_out
from arena.hosting.submission import artifact
from arena.hosting.submission.files import UPLOADED
from arena.hosting.submission.unpack import unpack


def main(arguments: Mapping[str, Any]) -> None:
    carry_out(arguments, _work)


def _work(upload: bytes) -> Iterator[bytes]:
    return artifact.write(unpack(upload), UPLOADED)
