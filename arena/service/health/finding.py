"""The result of a check, and which results are consequences of others."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

# "unknown": the check could not be made, or is a consequence of another finding.
State = Literal["fine", "wrong", "unknown"]


@dataclass(frozen=True)
class Finding:
    """The result of a check, with advice if it is wrong. The advice is public."""

    state: State
    about: str  # a word or two: "Redis"
    sentence: str
    advice: str = ""
    depends: tuple[str, ...] = ()  # the `about` of findings that this one may follow from
    public: str = ""  # the sentence without hosts, URLs and process names, if it has any
    because: str = ""  # the cause, set by `consequences`


def fine(about: str, sentence: str) -> Finding:
    """A finding without a problem."""
    return Finding("fine", about, sentence)


def wrong(
    about: str, sentence: str, advice: str, *, depends: tuple[str, ...] = (), public: str = ""
) -> Finding:
    """A problem that the operator has to fix."""
    return Finding("wrong", about, sentence, advice, depends, public)


def unknown(about: str, sentence: str) -> Finding:
    """A finding that could not be checked, or that has nothing to check yet."""
    return Finding("unknown", about, sentence)


def consequences(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yields the findings in order. A problem that depends on an earlier one becomes "unknown" and
    names the first cause."""
    causes: dict[str, str] = {}  # by `about`
    for each in findings:
        because = next((causes[name] for name in each.depends if name in causes), "")
        if each.state == "wrong":
            causes.setdefault(each.about, because or each.about)
        if each.state == "wrong" and because:
            each = replace(each, state="unknown", advice="", because=because)
        yield each
