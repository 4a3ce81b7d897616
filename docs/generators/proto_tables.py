"""Writes docs/reference/messages.md: tables made from the comments in proto/arena/v1.

    python docs/generators/proto_tables.py

The parser knows only the parts of the language that these files use; a test compares its results
with the generated stubs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "proto/arena/v1"
REFERENCE = ROOT / "docs/reference/messages.md"
FILES = ("play.proto", "submissions.proto", "control.proto")
OPENING = """\
For programs that use gRPC. [play.proto](#playproto) is for bots, and
[Protocol](../protocol.md) describes the order of its messages.
[submissions.proto](#submissionsproto) is for uploads, [control.proto](#controlproto) for
organisers. Of the fields that are "one of" the same name, a message has one. The tables are
made from the comments in `proto/arena/v1`.
"""

NO_PART = ("syntax ", "package ", "import ", "option ")
OPENS = re.compile(r"(service|message|oneof) (\w+) \{\}?")
CALL = re.compile(r"rpc (\w+)\((stream )?(\w+)\) returns \((stream )?(\w+)\);")
FIELD = re.compile(r"((?:repeated |optional )?(?:map<[^>]+>|\w+)) (\w+) = (\d+);")


@dataclass(frozen=True)
class Member:
    """A field of a message, or a call of a service; `kind` is its type, or what it takes and
    gives. Of the fields that have `one_of` in common a message has at most one."""

    name: str
    kind: str
    about: str
    number: int = 0
    one_of: str = ""


@dataclass(frozen=True)
class Block:
    """A message or a service."""

    name: str
    about: str
    members: list[Member] = field(default_factory=list)


def parse(text: str) -> list[Block]:
    """The services and messages of a .proto file, in order. Raises ValueError for a line that it
    does not understand."""
    found: list[Block] = []
    comment: list[str] = []
    one_of = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("//"):
            comment.append(line.removeprefix("//").strip())
            continue
        about, comment = " ".join(comment), []
        if not line or line.startswith(NO_PART):
            continue
        if opens := OPENS.fullmatch(line):
            if opens[1] == "oneof":
                one_of = opens[2]
            else:
                found.append(Block(opens[2], about))
        elif call := CALL.fullmatch(line):
            takes, gives = f"{call[2] or ''}{call[3]}", f"{call[4] or ''}{call[5]}"
            found[-1].members.append(Member(call[1], f"{takes} → {gives}", about))
        elif of := FIELD.fullmatch(line):
            members = found[-1].members
            # A comment above several fields is about all of them.
            about = about or (members[-1].about if members else "")
            members.append(Member(of[2], of[1], about, int(of[3]), one_of))
        elif line == "}":
            one_of = ""
        else:
            raise ValueError(f"{line!r} is nothing that a table is made of")
    return found


def tables(blocks: Sequence[Block], level: int) -> str:
    """A heading, what it is, and a table of its members, for each of them."""
    return "\n".join(line for block in blocks for line in _table(block, level))


def _table(block: Block, level: int) -> Iterator[str]:
    yield from (f"{'#' * level} {block.name}", "", block.about, "")
    if not block.members:
        return
    if block.members[0].number:
        yield from ("| no. | field | type | meaning |", "|---|---|---|---|")
    else:
        yield from ("| call | takes → gives | meaning |", "|---|---|---|")
    for member in block.members:
        yield _row(member)
    yield ""


def _row(member: Member) -> str:
    number = [str(member.number)] if member.number else []
    kind = f"`{member.kind}`" + (f", one of `{member.one_of}`" if member.one_of else "")
    cells = [*number, f"`{member.name}`", kind, member.about.replace("|", "\\|")]
    return f"| {' | '.join(cells)} |"


def reference() -> str:
    """The page with all calls and messages."""
    parts = ["# Services and messages", "", OPENING]
    for name in FILES:
        text = (CONTRACT / name).read_text()
        parts += [f"## {name}", "", _opening(text), "", tables(parse(text), 3)]
    return "\n".join(parts)


def _opening(text: str) -> str:
    """What a file says of itself before its first line of code."""
    lines = text.partition("syntax ")[0].splitlines()
    return "\n".join(line.removeprefix("//").removeprefix(" ") for line in lines).strip()


if __name__ == "__main__":
    REFERENCE.write_text(reference())
