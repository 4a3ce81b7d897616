"""The audit of an exported tournament without a server, and the changes that it finds."""

import copy
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli.app import arena
from arena.games.match import Match, MatchSetup, Seat
from arena.games.record import export
from arena.tournaments.formats import FORMATS, FromSecret, Played, SoFar, TournamentSpec, format_of
from arena.tournaments.formats.audit import check
from arena.tournaments.formats.exported import FORMAT, AuditError, read
from arena.tournaments.formats.secret import commitment, repeatable
from tests.played_out import by_authors, by_strength, play_out, spec_of, without

NUMBER = 4
SECRET = bytes(range(32))
SOURCE = FromSecret(SECRET, NUMBER)
PLAY = by_strength([1.0 - 0.1 * n for n in range(20)])
SPECS = {
    "round-robin": spec_of("round-robin", 5, 3, 2),
    "gauntlet": spec_of("gauntlet", 5, 2, 2),
    "knockout": spec_of("knockout", 7, 2, 2, seeding="random"),
    "swiss": spec_of("swiss", 8, 2, 1),
    "versus": spec_of("versus", 4, 3, 4, max_deals=40),
    "ladder": spec_of("ladder", 6, 4, 2, matches=700),
    "shared": spec_of("round-robin", 5, 3, 2, deals="duplicate"),
    "siblings": by_authors(spec_of("round-robin", 9, 3, 1), [0, 0, 1, 2, 1, 0, 3, 4, 1]),
    "siblings, balanced": by_authors(
        spec_of("round-robin", 13, 4, 1, tables="balanced"), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 4, 5]
    ),
    "siblings, swiss": by_authors(spec_of("swiss", 8, 2, 1), [0, 1, 2, 3, 0, 1, 2, 3]),
}

Lines = list[dict[str, Any]]


def header(spec: TournamentSpec, **changed: Any) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "id": NUMBER,
        "name": spec.name,
        "state": "finished",
        "commitment": commitment(SECRET).hex(),
        "secret": SECRET.hex(),
        "repeatable": False,
        "repeats": None,
        "spec": {
            "game": spec.game,
            "options": dict(spec.options),
            "format": spec.format,
            "format_options": dict(spec.format_options),
            "seats": spec.seats,
            "matches": spec.matches,
            "deals": spec.deals,
            "trusted": False,
        },
        "entrants": [
            {"bot": bot, "version": "1", "author": author}
            for bot, author in zip(spec.bots, spec.authors or [None] * len(spec.bots), strict=True)
        ],
        **changed,
    }


def lines_of(played: Iterable[Played]) -> Lines:
    return [
        {
            "position": one.match.position,
            "id": SOURCE.match_id(one.match.position),
            "deal": one.match.deal,
            "seats": list(one.match.seats),
            "points": list(one.points),
            "forfeited": list(one.forfeited),
        }
        for one in played
    ]


def exported(spec: TournamentSpec) -> Lines:
    """The export of a tournament that was played as scheduled."""
    scheduled = replace(spec, seed=SOURCE.schedule_seed)
    return [header(spec), *lines_of(play_out(scheduled, PLAY).matches)]


@pytest.mark.parametrize("name", ["swiss", "ladder"])
def test_schedule_that_continued_without_an_absent_bot_is_valid(name: str) -> None:
    spec = {"swiss": spec_of("swiss", 9, 2, 6), "ladder": spec_of("ladder", 6, 2, 4, matches=2000)}
    scheduled = replace(spec[name], seed=SOURCE.schedule_seed)

    played = play_out(scheduled, without(2)).matches
    assert not any(2 in one.match.seats for one in played[len(played) // 2 :])

    verified([header(spec[name]), *lines_of(played)])


def verified(lines: Iterable[dict[str, Any]]) -> None:
    audit, records = read(json.loads(json.dumps(line)) for line in lines)
    check(audit, records)


@pytest.fixture(scope="module")
def small() -> tuple[Lines, Lines]:
    """A tournament of six matches that were really played, and their records."""
    spec = spec_of("round-robin", 3, 2, 1)
    lines = [header(spec)]
    records: Lines = []
    for planned in format_of(spec.format).block(replace(spec, seed=SOURCE.schedule_seed), 0):
        seats = tuple(Seat(spec.bots[entrant]) for entrant in planned.seats)
        names = SOURCE.match_id(planned.position), "lama", SOURCE.deal_seed(planned.deal)
        match = Match(MatchSetup(*names, seats, spec.options))
        while match.decision:
            match.answer(match.decision.actions[0])
        points = match.result.points
        lines += lines_of([Played(planned, points, match.result.ranks, (False, False))])
        records.append(export(match))
    return lines, records


@pytest.mark.parametrize("name", SPECS)
def test_tournament_played_as_scheduled_is_valid(name: str) -> None:
    lines = exported(SPECS[name])

    verified(lines)
    verified([lines[0], *reversed(lines[1:])])  # in any order


@pytest.mark.parametrize("name", ["siblings", "siblings, balanced"])
def test_changed_author_is_found(name: str) -> None:
    lines = exported(SPECS[name])

    # Entrant 1 was seated as a sibling although the export lists none, or vice versa.
    lines[0]["entrants"][1]["author"] = 99

    with pytest.raises(AuditError, match="schedule"):
        verified(lines)


def test_an_export_of_a_release_that_knew_no_authors_is_checked_as_before() -> None:
    spec = SPECS["swiss"]
    options = {k: v for k, v in spec.format_options.items() if k != "siblings"}
    lines = exported(replace(spec, format_options=options))
    for entrant in lines[0]["entrants"]:
        del entrant["author"]

    verified(lines)


def test_every_format_is_tried() -> None:
    assert {spec.format for spec in SPECS.values()} == set(FORMATS)


def without_entrant(spec: TournamentSpec, gone: int, begun: int) -> Lines:
    """Withdraws entrant `gone` after this many of its deals."""
    first, *matches = exported(spec)
    first["entrants"][gone]["withdrawn"] = 1000.0
    deals = sorted({line["deal"] for line in matches if gone in line["seats"]})
    return [first, *(line for line in matches if line["deal"] not in deals[begun:])]


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "shared"])
def test_matches_of_a_withdrawn_entrant_may_be_missing_and_no_others(name: str) -> None:
    spec = SPECS[name]
    lines = without_entrant(spec, 2, 3)
    audit, _ = read(lines)

    check(audit)

    assert audit.cancelled == format_of(spec.format).count(spec) - len(audit.matches) > 0
    other = next(line for line in lines[1:] if 2 not in line["seats"])
    with pytest.raises(AuditError, match=f"position {other['position']} is missing"):
        verified(line for line in lines if line is not other)
    del lines[0]["entrants"][2]["withdrawn"]
    with pytest.raises(AuditError, match="is missing"):
        verified(lines)


def test_no_match_of_a_started_shared_deal_may_be_missing() -> None:
    lines = without_entrant(SPECS["shared"], 2, 3)
    begun = next(line for line in lines[1:] if 2 in line["seats"])

    with pytest.raises(AuditError, match=f"position {begun['position']} is missing"):
        verified(line for line in lines if line is not begun)


def test_no_bot_is_marked_withdrawn_if_results_decide_the_schedule() -> None:
    with pytest.raises(AuditError, match="is missing"):
        verified(without_entrant(SPECS["swiss"], 2, 3))


def test_records_are_checked_with_their_shuffles(small: tuple[Lines, Lines]) -> None:
    lines, records = small

    verified([*records, *lines])


def changed(lines: Lines, change: Callable[[Lines], object]) -> Lines:
    found = copy.deepcopy(lines)
    change(found)
    return found


def swap_seats(lines: Lines) -> None:
    lines[5]["seats"] = lines[5]["seats"][::-1]


def swap_matches(lines: Lines) -> None:
    """Two matches change places, with the ids that the places have."""
    one, other = lines[1], next(line for line in lines[2:] if line["seats"] != lines[1]["seats"])
    for name in ("seats", "deal"):
        one[name], other[name] = other[name], one[name]


def new_secret(lines: Lines) -> None:
    lines[0]["secret"] = bytes(32).hex()
    lines[0]["commitment"] = commitment(bytes(32)).hex()


TAMPERED = {
    "another secret": (
        lambda ls: ls[0].update(secret=bytes(32).hex()),
        "does not match the secret",
    ),
    "another commitment": (
        lambda ls: ls[0].update(commitment="00" * 32),
        "does not match the secret",
    ),
    "both": (new_secret, "the schedule"),
    "another tournament": (lambda ls: ls[0].update(id=NUMBER + 1), "the schedule"),
    "an id": (lambda ls: ls[3].update(id="0" * 16), "its id should be"),
    "seats": (swap_seats, "the schedule seats bot-"),
    "order": (swap_matches, "the schedule"),
    "a deal": (lambda ls: ls[2].update(deal=999), "the schedule has deal"),
    "a match left out": (lambda ls: ls.pop(7), "is missing"),
    "the last match left out": (
        lambda ls: ls.remove(max(ls[1:], key=lambda line: line["position"])),
        "is missing",
    ),
    "one match more": (
        lambda ls: ls.append({**ls[1], "position": len(ls) - 1, "id": "x"}),
        "The schedule ends after",
    ),
    "a match twice": (lambda ls: ls.append(ls[1]), "two matches at position"),
    "fewer matches asked for": (lambda ls: ls[0]["spec"].update(matches=3), "schedule"),
    "an entrant": (lambda ls: ls[0]["entrants"].pop(), "malformed"),
    "no secret yet": (
        lambda ls: ls[0].update(secret="", state="running"),
        "running. Its secret is published when it ends",
    ),
    "no tournament": (lambda ls: ls.pop(0), "The export has no tournament"),
    "two tournaments": (lambda ls: ls.append(ls[0]), "two tournaments"),
    "something else": (lambda ls: ls.append({"a": 1}), "an unknown object"),
    "no number": (lambda ls: ls[4].update(deal="x"), "malformed"),
    "a format that there is not": (
        lambda ls: ls[0]["spec"].update(format="x"),
        "Unknown tournament format",
    ),
    "another repeat": (lambda ls: ls[0].update(repeats=5), "does not follow from the seed"),
}


@pytest.mark.parametrize(("change", "said"), TAMPERED.values(), ids=TAMPERED)
def test_every_change_is_found_and_named(change: Callable[[Lines], object], said: str) -> None:
    lines = exported(SPECS["round-robin"])

    with pytest.raises(Exception, match=said) as found:
        verified(changed(lines, change))

    assert str(found.value).endswith(".")


@pytest.mark.parametrize("name", ["knockout", "swiss", "ladder"])
def test_changed_result_is_found_by_the_following_schedule(name: str) -> None:
    lines = exported(SPECS[name])

    def cheat(found: Lines) -> None:
        """In the first half of all matches the weaker win."""
        half = sorted(found[1:], key=lambda line: line["position"])[: len(found) // 2]
        for line in half:
            line["points"] = [20 - entrant for entrant in line["seats"]]

    with pytest.raises(AuditError, match="the schedule"):
        verified(changed(lines, cheat))


def move(record: dict[str, Any]) -> None:
    record["rounds"][0]["moves"][0]["action"] = "quit"
    record["rounds"][0]["moves"][0]["seat"] = 1


RECORDS = {
    "a seed": (lambda r: r.update(seed="00" * 16), "the seed of deal"),
    "a card": (lambda r: r["rounds"][0]["hands"][0].reverse(), "hands"),
    "the pile": (lambda r: r["rounds"][0]["pile"].reverse(), "pile"),
    "a move": (move, "Record"),
    "the points": (lambda r: r["result"].update(points=[1, 2]), "points"),
    "a forfeit": (lambda r: r["result"].update(faults=["timeout", None]), "Record"),
    "a bot": (lambda r: r["seats"][0].update(bot="zoe"), "its bots are not the bots"),
    "a version": (lambda r: r["seats"][0].update(version="9"), "its bots are not the bots"),
    "options": (lambda r: r["options"].update(max_rounds="3"), "options"),
    "another match": (lambda r: r.update(id="nobody"), "no match of the tournament"),
    "a field": (lambda r: r.pop("seats"), "malformed"),
}


@pytest.mark.parametrize(("change", "said"), RECORDS.values(), ids=RECORDS)
def test_a_changed_record_is_found(
    small: tuple[Lines, Lines], change: Callable[[dict[str, Any]], object], said: str
) -> None:
    lines, records = copy.deepcopy(small)
    change(records[2])

    with pytest.raises(AuditError, match=said):
        verified([*lines, *records])


def test_a_result_that_only_the_list_changes_is_found_by_its_record(
    small: tuple[Lines, Lines],
) -> None:
    lines, records = copy.deepcopy(small)
    lines[1]["points"] = [9, 8]

    with pytest.raises(AuditError, match="not the result that the tournament lists"):
        verified([*lines, *records])


@pytest.mark.parametrize("authors", [(), (0, 1, 2, 3, 0, 1)])
def test_a_bot_that_joined_a_ladder_is_seated_from_some_block_on(authors: tuple[int, ...]) -> None:
    whole = replace(SPECS["ladder"], seed=SOURCE.schedule_seed, authors=authors)
    then = replace(whole, bots=whole.bots[:5], authors=authors[:5])
    format_ = format_of("ladder")
    so_far: SoFar = {}
    played: list[list[Played]] = []
    for number in range(100):
        spec = then if number < 2 else whole  # it joins while the second block is played
        block: list[Played] = played[-1] if played else []
        so_far = format_.fold(spec, so_far, block) if block else {}
        planned = format_.block(spec, number, so_far)
        if not planned:
            break
        played.append([PLAY(match) for match in planned])

    lines = [header(whole), *lines_of(one for block in played for one in block)]

    verified(lines)
    assert any(5 in line["seats"] for line in lines[1:])


# The command


def written(folder: Path, lines: Lines, name: str = "audit.jsonl") -> str:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_command_prints_its_checks(small: tuple[Lines, Lines], tmp_path: Path) -> None:
    lines, records = small
    files = written(tmp_path, lines), written(tmp_path, records, "records.jsonl")
    noted = commitment(SECRET).hex().upper()

    whole = CliRunner().invoke(arena, ["tournament", "verify", *files, "--commitment", noted])
    part = CliRunner().invoke(arena, ["tournament", "verify", files[0]])

    assert whole.exit_code == part.exit_code == 0
    assert "6 matches: schedule, deals and ids follow from the secret." in whole.output
    assert "Every shuffle, roll and result follows from it, too." in whole.output
    assert "pass it as --commitment" in part.output
    assert "of 6 were not checked. Add their records" in part.output


def test_the_command_does_not_take_another_commitment_for_the_one_noted(
    small: tuple[Lines, Lines], tmp_path: Path
) -> None:
    file = written(tmp_path, small[0])

    said = CliRunner().invoke(arena, ["tournament", "verify", file, "--commitment", "ab" * 32])

    assert said.exit_code == 1
    assert "not the one that you noted." in said.output


def test_a_repeatable_tournament_says_so(tmp_path: Path) -> None:
    spec = SPECS["round-robin"]
    source = FromSecret(repeatable(9), NUMBER)
    matches = play_out(replace(spec, seed=source.schedule_seed), PLAY).matches
    lines = lines_of(matches)
    for line in lines:
        line["id"] = source.match_id(line["position"])
    secret = {"secret": repeatable(9).hex(), "commitment": commitment(repeatable(9)).hex()}

    said = CliRunner().invoke(
        arena,
        ["tournament", "verify", written(tmp_path, [header(spec, repeats=9, **secret), *lines])],
    )

    assert said.exit_code == 0
    assert "the seed 9 alone reveals all cards" in said.output


def test_the_salt_of_a_repeatable_tournament_is_checked(tmp_path: Path) -> None:
    salt = "1f" * 16
    secret = repeatable(9, bytes.fromhex(salt))
    spec, source = SPECS["round-robin"], FromSecret(secret, NUMBER)
    lines = lines_of(play_out(replace(spec, seed=source.schedule_seed), PLAY).matches)
    for line in lines:
        line["id"] = source.match_id(line["position"])
    export = {"repeats": 9, "secret": secret.hex(), "commitment": commitment(secret).hex()}

    def said_of(**changed: Any) -> str:
        first = header(spec, **export, **changed)
        return (
            CliRunner()
            .invoke(arena, ["tournament", "verify", written(tmp_path, [first, *lines])])
            .output
        )

    assert f"Repeatable: --seed 9 --salt {salt}" in said_of(salt=salt)
    assert f"follow from the seed 9 and the salt {'1e' * 16}." in said_of(salt="1e" * 16)
    assert "follow from the seed 9." in said_of()
    assert "malformed" in said_of(salt="xyz")
