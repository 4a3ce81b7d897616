"""The result of one check, and which results only follow from another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

# "unknown": the check could not be made, or follows from another one; not wrong by itself.
State = Literal["fine", "wrong", "unknown"]


@dataclass(frozen=True)
class Finding:
    """A sentence on one thing, and where it is wrong another one on what to do.

    `depends` names what the check needs, by the `about` of other findings. `public` is the
    sentence without operator facts, such as hosts, URLs and names of processes; it is empty where
    the sentence has none. `because` is filled in by `consequences`. The advice is public.
    """

    state: State
    about: str  # a word or two: "Redis"
    sentence: str
    advice: str = ""
    depends: tuple[str, ...] = ()
    public: str = ""
    because: str = ""


def fine(about: str, sentence: str) -> Finding:
    """It is as it should be."""
    return Finding("fine", about, sentence)


def wrong(
    about: str, sentence: str, advice: str, *, depends: tuple[str, ...] = (), public: str = ""
) -> Finding:
    """It has to be fixed."""
    return Finding("wrong", about, sentence, advice, depends, public)


def unknown(about: str, sentence: str) -> Finding:
    """It could not be checked, or there is nothing to check yet."""
    return Finding("unknown", about, sentence)


def consequences(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings in their order; one that follows from an earlier one is no longer wrong by
    itself and names the first cause."""
    causes: dict[str, str] = {}  # by what is wrong
    for each in findings:
        because = next((causes[name] for name in each.depends if name in causes), "")
        if each.state == "wrong":
            causes.setdefault(each.about, because or each.about)
        if each.state == "wrong" and because:
            each = replace(each, state="unknown", advice="", because=because)
        yield each
