"""Archive files: what is put in comes out, and what was changed is noticed."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.base.errors import AlreadyExists, Unavailable
from arena.store.archive.codec import Block, Layout, pack
from arena.store.archive.layout import BLOCK, LAYOUT, Rows, new_archive
from arena.store.archive.open_files import ArchiveFile

FIRST = 5 << 36
ALL_KINDS: Layout = {
    "one": [("i", "int"), ("b", "bool"), ("f", "float"), ("t", "text"), ("y", "bytes")],
    "other": [("up", "int")],
}
values = st.tuples(
    st.none() | st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.none() | st.floats(allow_nan=False),
    st.none() | st.text(st.characters(exclude_categories=["Cs"])),
    st.none() | st.binary(),
)


def match_rows(count: int, seats: int = 4) -> list[list[Rows]]:
    """Blocks of matches as a database would have them, logs of 180 bytes that nothing follows
    from."""
    chance = random.Random(7)
    rows: list[list[Any]] = [[], [], []]
    for place in range(count):
        number, elo = FIRST + place, [chance.gauss(1500, 200) for _ in range(seats)]
        identity = "".join(chance.choices("0123456789abcdefghjkmnpqrstvwxyz", k=16))
        times = [1.77e9 + place * 0.1 + chance.random() for _ in range(2)]
        rows[0].append(
            (
                number, identity, 3 + place % 2, place // 512, place // 2, place // 4, "lama", "1",
                "{}", seats, chance.randbytes(16), chance.randbytes(180), *times, place + 1,
            )
        )  # fmt: skip
        points = [chance.randrange(45) for _ in range(seats)]
        rows[1] += [
            (
                number, seat, seat + 9, seat + 2, points[seat],
                1 + sum(other < points[seat] for other in points), 0, False, elo[seat],
                chance.gauss(0, 8),
            )
            for seat in range(seats)
        ]  # fmt: skip
        if not place % 50:
            rows[2].append((number, 0, 1, 3, 4, "timeout", "no answer", "quit"))
    return [
        [[row for row in table if first <= row[0] < first + BLOCK] for table in rows]
        for first in range(FIRST, FIRST + count, BLOCK)
    ]


def written(path: Path, count: int = 450) -> list[list[Rows]]:
    blocks = match_rows(count)
    with new_archive(path) as archive:
        for block in blocks:
            archive.add_block(block)
        archive.finish("0023", "2026-03")
    return blocks


@given(st.lists(values, max_size=20), st.lists(st.integers(0, 9), max_size=9).map(sorted))
def test_a_block_gives_back_every_value(rows: list[Any], numbers: list[int]) -> None:
    other = [(number,) for number in numbers]

    block = Block(ALL_KINDS, pack(ALL_KINDS, {"one": rows, "other": other}))

    assert block.rows == {"one": len(rows), "other": len(other)}
    assert repr(block.tuples("one", ["i", "b", "f", "t", "y"])) == repr(rows)
    assert block.tuples("other", ["up"]) == other
    assert block.array("one", "i", -1).tolist() == [-1 if r[0] is None else r[0] for r in rows]


def test_an_archive_gives_back_every_row_and_finds_each_match(tmp_path: Path) -> None:
    blocks = written(tmp_path / "a.sqlite")

    file = ArchiveFile(tmp_path / "a.sqlite")

    file.check()
    assert [[file.rows(block, table) for table in LAYOUT] for block in file.each_block()] == blocks
    head = file.head
    assert (head.matches, head.seats, head.notes) == (450, 1800, 9)
    assert (head.first, head.last, head.month) == (FIRST, FIRST + 449, "2026-03")
    assert file.blocks_with(str(blocks[2][0][-1][1])) == [2]
    assert file.blocks_with("nothing") == []
    assert file.blocks_between(FIRST + 199, FIRST + 200) == [0, 1]
    assert [each.matches for each in file.of_tournament(4)] == [100, 100, 25]


def test_an_archived_match_is_small(tmp_path: Path) -> None:
    written(tmp_path / "a.sqlite", 4000)

    each = (tmp_path / "a.sqlite").stat().st_size / 4000

    assert 300 < each < 345


def test_a_flipped_bit_is_noticed_or_changes_nothing(tmp_path: Path) -> None:
    blocks = written(tmp_path / "a.sqlite", 250)
    whole, chance = (tmp_path / "a.sqlite").read_bytes(), random.Random(3)
    said = []
    for number in range(150):
        changed = bytearray(whole)
        changed[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path = tmp_path / f"{number}.sqlite"
        path.write_bytes(changed)
        try:
            file = ArchiveFile(path)
            file.check()
        except Unavailable as error:
            said.append(str(error))
        else:
            read = [[file.rows(block, table) for table in LAYOUT] for block in file.each_block()]
            assert read == blocks
    assert len(said) > 120
    assert all("is damaged or not an archive" in sentence for sentence in said)


def test_a_cut_file_is_noticed(tmp_path: Path) -> None:
    written(tmp_path / "a.sqlite", 250)
    whole = (tmp_path / "a.sqlite").read_bytes()
    for length in range(0, len(whole), 4000):
        (tmp_path / "cut.sqlite").write_bytes(whole[:length])
        with pytest.raises(Unavailable, match=r"cut\.sqlite is damaged or not an archive"):
            ArchiveFile(tmp_path / "cut.sqlite").check()


def test_foreign_files_are_no_archives(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello" * 1000)
    with closing(sqlite3.connect(tmp_path / "database")) as conn:
        conn.execute("CREATE TABLE head (name TEXT, value TEXT)")
        conn.execute("INSERT INTO head VALUES ('format', '1')")
        conn.commit()
    for name in ("text", "database", "missing"):
        with pytest.raises(Unavailable, match=f"{name} is damaged or not an archive"):
            ArchiveFile(tmp_path / name)


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail() -> None:
        with new_archive(tmp_path / "a.sqlite") as archive:
            archive.add_block(match_rows(10)[0])
            raise RuntimeError("on the way")

    with pytest.raises(RuntimeError):
        fail()

    assert list(tmp_path.iterdir()) == []


def test_an_archive_that_exists_is_never_touched(tmp_path: Path) -> None:
    written(tmp_path / "a.sqlite", 10)
    before = (tmp_path / "a.sqlite").read_bytes()

    with pytest.raises(AlreadyExists):
        written(tmp_path / "a.sqlite", 20)

    assert (tmp_path / "a.sqlite").read_bytes() == before
