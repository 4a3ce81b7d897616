"""The command line as a user has it: what is printed where, and with which status it ends."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.base import folder
from arena.store import Store, upgrade_store
from tests import nursery
from tests.integration.conftest import Run
from tests.integration.played import play, register


@pytest.fixture
def played(sqlite_store: Store) -> Store:
    """A store with a finished tournament of three bots at tables of two, twelve matches."""
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=2)
    return sqlite_store


# Bots


def test_adding_a_bot_prints_nothing_but_the_token_on_stdout(run: Run) -> None:
    added = run("bot", "add", "mybot")

    assert added.status == 0
    assert added.out.startswith("lama_")
    assert added.out.count("\n") == 1
    assert "mybot is registered" in added.err


def test_a_new_token_is_another_one(run: Run) -> None:
    first = run("bot", "add", "mybot").out

    again = run("bot", "token", "mybot", "--json")

    assert json.loads(again.out)["name"] == "mybot"
    assert json.loads(again.out)["token"] != first.strip()


def test_bots_are_listed_for_people_and_for_programs(run: Run, played: Store) -> None:
    for_people = run("bot", "list").out
    for_programs = json.loads(run("bot", "list", "--json").out)

    assert [line.split()[0] for line in for_people.splitlines()[2:]] == ["ann", "bob", "cho"]
    assert [bot["name"] for bot in for_programs["bots"]] == ["ann", "bob", "cho"]
    assert for_programs["bots"][0]["matches"] == 8
    assert for_programs["bots"][0]["connected"] is False


def test_the_faults_of_a_bot_are_listed(run: Run, played: Store) -> None:
    every = [
        json.loads(run("bot", "faults", name, "--json").out)["faults"]
        for name in ("ann", "bob", "cho")
    ]
    name, most = max(zip(("ann", "bob", "cho"), every, strict=True), key=lambda pair: len(pair[1]))

    shown = run("bot", "faults", name, "--limit", "1").out

    assert sum(map(len, every)) == 4
    assert most[0]["match"] in shown
    assert "No answer within 2000 ms." in shown
    register(played, "dan")
    assert run("bot", "faults", "dan").err == "dan has no faults in rated matches.\n"


def test_a_bot_without_a_token_is_told_how_to_get_one(run: Run) -> None:
    failed = run("bot", "connect", "mybot.py:MyBot")

    assert failed.status == 2
    assert "arena bot add NAME" in failed.err


def test_a_token_that_cannot_be_one_is_refused_without_printing_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", "lama_secret\nlama_other")

    for command in (("bot", "connect", "mybot.py"), ("bot", "submissions")):
        failed = run(*command)
        assert failed.status == 2
        assert failed.err.startswith("Error: ARENA_TOKEN is not valid.")
        assert "lama_" not in failed.err


def test_a_bot_in_a_folder_without_a_running_arena_is_told_so(run: Run, tmp_path: Path) -> None:
    folder = str(tmp_path / "none")
    failed = run("bot", "connect", "mybot.py:MyBot", "--token", "lama_x", "--data", folder)

    assert failed.status == 2
    assert "No arena is running in" in failed.err


# Tournaments


def test_a_tournament_needs_a_running_arena(run: Run, played: Store) -> None:
    failed = run("tournament", "new", "ann", "bob", "--seats", "2")

    assert failed.status == 2
    assert failed.err == "Error: The arena is not running. Start it with `arena up`.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "No bots. Name them or pass --all."),
        (("ann", "--all"), "not both"),
        (("ann", "bob", "--option", "max_rounds"), "--option max_rounds has no value"),
        (("ann", "bob"), "4 seats, but only 2 bots"),
        (("ann", "bob", "--seats", "2", "--game", "chess"), "chess"),
    ],
)
def test_a_tournament_that_cannot_be_is_refused_with_a_sentence(
    run: Run, played: Store, arguments: tuple[str, ...], sentence: str
) -> None:
    failed = run("tournament", "new", *arguments)

    assert failed.status == 2
    assert sentence in failed.err
    assert "Traceback" not in failed.err


def test_tournaments_are_listed(run: Run, played: Store) -> None:
    assert "finished" in run("tournament", "list").out
    (listed,) = json.loads(run("tournament", "list", "--json").out)["tournaments"]
    assert (listed["id"], listed["played"], listed["spec"]["seed"]) == (1, 12, 7)


def test_a_tournament_is_shown_with_its_standings(run: Run, played: Store) -> None:
    shown = run("tournament", "show", "1").out

    assert "finished; 12 of 12 matches played" in shown
    assert {"ann", "bob", "cho"} <= set(shown.split())


def test_an_absent_time_is_null_for_programs(run: Run, sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob", only=1)

    shown = json.loads(run("tournament", "show", "1", "--json").out)

    assert shown["finished"] is None
    assert shown["started"] > 0


def test_watching_a_finished_tournament_shows_it_at_once(run: Run, played: Store) -> None:
    watched = run("tournament", "watch", "1")

    assert watched.status == 0
    assert "finished, 12/12 matches" in watched.err
    assert "finished; 12 of 12 matches played" in watched.out


def test_a_tournament_is_cancelled_and_watching_it_then_fails(
    run: Run, sqlite_store: Store
) -> None:
    register(sqlite_store, "ann", "bob")
    play(sqlite_store, "ann", "bob", deals=5, only=3)

    assert "cancelled; 3 of 10 matches played" in run("tournament", "cancel", "1").out

    watched = run("tournament", "watch", "1")
    assert watched.status == 2
    assert "arena tournament resume 1" in watched.err


def test_an_unknown_tournament_is_one_sentence(run: Run, played: Store) -> None:
    failed = run("tournament", "show", "9")

    assert (failed.status, failed.out) == (2, "")
    assert failed.err == "Error: There is no tournament 9.\n"


# Ratings


def test_the_rating_table_is_the_same_for_people_and_programs(run: Run, played: Store) -> None:
    for_people = run("ratings").out
    for_programs = json.loads(run("ratings", "--json").out)

    names = [line.split()[1] for line in for_people.splitlines()[2:]]
    assert names == [line["bot"] for line in for_programs["ratings"]]
    assert sum(line["elo"] for line in for_programs["ratings"]) == pytest.approx(4500)


def test_an_empty_rating_table_says_what_to_do(run: Run, sqlite_store: Store) -> None:
    assert "arena tournament new" in run("ratings").err


# Matches


def test_matches_are_listed_and_paged(run: Run, played: Store) -> None:
    first = json.loads(run("match", "list", "--limit", "10", "--json").out)
    second = json.loads(run("match", "list", "--after", first["next"], "--json").out)

    assert (len(first["matches"]), len(second["matches"]), second["next"]) == (10, 2, "")
    assert f"--after {first['next']}" in run("match", "list", "--limit", "10").err


def test_the_matches_that_a_bot_lost_or_was_at_fault_in_are_listed(run: Run, played: Store) -> None:
    def listed(*filters: str) -> list[Any]:
        answer = json.loads(run("match", "list", "--bot", "ann", *filters, "--json").out)
        return [
            next(seat for seat in match["seats"] if seat["bot"] == "ann")
            for match in answer["matches"]
        ]

    every = listed()
    assert listed("--lost") == [seat for seat in every if seat["rank"] > 1 or seat["forfeited"]]
    assert listed("--faults") == [seat for seat in every if seat["faults"]]
    assert sorted(map(str, listed("--worst"))) == sorted(map(str, every))
    assert listed("--worst", "--limit", "2") == listed("--worst")[:2]
    assert 0 < len(listed("--lost")) < len(every) > len(listed("--faults")) > 0


def test_the_worst_matches_are_those_of_a_bot(run: Run, played: Store) -> None:
    refused = run("match", "list", "--worst")

    assert refused.status == 2
    assert refused.err == 'Error: "worst" cannot be used without a bot. Name one.\n'


def test_a_match_is_shown_move_by_move_with_its_faults(run: Run, played: Store) -> None:
    listed = json.loads(run("match", "list", "--json").out)["matches"]
    match = next(item for item in listed if any(seat["faults"] for seat in item["seats"]))

    shown = run("match", "show", match["id"]).out

    assert f"Match {match['id']}: lama (lama/1)" in shown
    assert "Round 1" in shown
    assert "(fault: timeout)" in shown
    assert "winner" in shown
    assert "draw: " in shown


BOT = """
from arena.sdk import Bot


class Ann(Bot):
    def choose(self, view):
        if view.number > 20:
            raise LookupError("no idea")
        return view.actions[0]
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    """A bot of its own file."""
    (tmp_path / "mine.py").write_text(BOT)
    return f"{tmp_path / 'mine.py'}:Ann"


def test_a_bot_is_asked_again_decision_by_decision(run: Run, played: Store, program: str) -> None:
    listed = json.loads(run("match", "list", "--bot", "ann", "--json").out)["matches"]
    for match in (item["id"] for item in listed):
        record = json.loads(run("match", "show", match, "--json").out)
        seat = [each["bot"] for each in record["seats"]].index("ann")
        moves = [move for round_ in record["rounds"] for move in round_["moves"]]
        asked = [m for m in moves if m["seat"] == seat and "latency_us" in m]

        explained = run("match", "explain", match, "--bot", program)

        assert explained.status == 0
        lines = explained.out.splitlines()
        assert lines[0] == f"Match {match}: lama, seat {seat}, ann"
        told = [line.split(None, 1)[1] for line in lines if line.lstrip().startswith("played ")]
        assert [words.split(" (fault")[0] for words in told] == [move["action"] for move in asked]
        marked = sum(line.startswith("     * ") for line in lines)
        assert lines[-1].startswith(f"{marked} of {len(asked)} decisions in 1 match differ")
        failed = explained.out.count("LookupError: no idea")
        assert failed == explained.out.count("Traceback")
        assert not failed or lines[-1].endswith(f", {failed} of them without a legal answer")


def test_a_file_of_records_is_explained_and_broken_ones_are_named(
    run: Run, played: Store, program: str, tmp_path: Path
) -> None:
    first, *rest = run("match", "export").out.splitlines()
    broken = json.loads(first)
    broken["result"]["points"][0] += 1
    (tmp_path / "all.jsonl").write_text("\n".join([json.dumps(broken), *rest]))

    asked = ("match", "explain", "--file", str(tmp_path / "all.jsonl"), "--bot", program)
    explained = run(*asked, "--as", "bob", "--different")

    assert explained.status == 1
    assert f"{broken['id']}: The result's points do not follow" in explained.err
    names = [[seat["bot"] for seat in json.loads(text)["seats"]] for text in rest]
    sat = sum("bob" in each for each in names)
    assert f"decisions in {sat} matches differ" in explained.out
    assert explained.out.count("played ") == explained.out.count("     * ") > 0
    assert "No bot named dan played here" in run(*asked, "--as", "dan").err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "Give either the ID of a match or --file."),
        (("ID", "--seat", "4"), "has no seat 4. Choose 0 to 1."),
        (("ID", "--bot", "OTHER"), "No bot named Other or other played here. Give --as"),
        (("ID", "--as", "cho"), "No bot named cho played here. Give --as NAME or --seat."),
    ],
)
def test_explain_needs_a_bot_at_the_table(
    run: Run, played: Store, program: str, tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    with_ann = json.loads(run("match", "list", "--bot", "ann", "--json").out)["matches"]
    match = next(m["id"] for m in with_ann if "bob" in {seat["bot"] for seat in m["seats"]})
    (tmp_path / "other.py").write_text(BOT.replace("Ann", "Other"))
    stands = {"ID": match, "OTHER": str(tmp_path / "other.py")}

    refused = run("match", "explain", "--bot", program, *(stands.get(o, o) for o in options))

    assert refused.status == 2
    assert sentence in refused.err


def test_a_record_is_one_line_of_json(run: Run, played: Store) -> None:
    match = json.loads(run("match", "list", "--json").out)["matches"][0]

    shown = run("match", "show", match["id"], "--json").out

    assert shown.count("\n") == 1
    assert json.loads(shown)["format"] == "lama-arena/match/1"


def test_all_records_are_exported_and_verify_from_the_file(
    run: Run, played: Store, tmp_path: Path
) -> None:
    file = tmp_path / "all.jsonl"

    assert run("match", "export", "--out", str(file)).status == 0

    assert len(file.read_text().splitlines()) == 12
    verified = run("match", "verify", "--file", str(file))
    assert (verified.status, verified.out) == (0, "12 matches verified, 0 wrong\n")


def test_only_a_tournaments_records_are_exported(run: Run, played: Store) -> None:
    play(played, "ann", "bob")

    assert len(run("match", "export", "--tournament", "2").out.splitlines()) == 2


def test_stored_matches_are_verified_one_all_or_by_tournament(run: Run, played: Store) -> None:
    match = json.loads(run("match", "list", "--json").out)["matches"][0]["id"]

    assert run("match", "verify", match).out == "1 match verified, 0 wrong\n"
    assert run("match", "verify").out == "12 matches verified, 0 wrong\n"
    assert run("match", "verify", "--tournament", "1").out == "12 matches verified, 0 wrong\n"


def test_a_record_that_was_tampered_with_is_named_and_ends_with_status_1(
    run: Run, played: Store, tmp_path: Path
) -> None:
    lines = run("match", "export").out.splitlines()
    record = json.loads(lines[0])
    record["result"]["points"][0] += 1
    file = tmp_path / "all.jsonl"
    newer = json.dumps({**record, "id": "m9", "format": "lama-arena/match/9"})
    file.write_text("\n".join([json.dumps(record), "{", '{"id": "m8"}', newer, *lines[1:]]))

    verified = run("match", "verify", "--file", str(file))

    assert verified.status == 1
    assert verified.out == "11 matches verified, 4 wrong\n"
    assert f"{record['id']}: The result's points do not follow" in verified.err
    assert "Record 2: The record is not valid JSON" in verified.err
    assert "m8: This is not a match record." in verified.err
    assert "m9: The record has the format 'lama-arena/match/9', but this" in verified.err


def test_only_one_choice_of_matches_can_be_verified(run: Run, played: Store) -> None:
    assert "Give one of" in run("match", "verify", "x", "--tournament", "1").err


def test_an_unknown_match_is_one_sentence(run: Run, played: Store) -> None:
    assert run("match", "show", "nonsense").err == 'Error: There is no match "nonsense".\n'


# Finding the arena


def test_a_folder_without_an_arena_is_reported_and_left_alone(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "no where"

    failed = run("ratings", "--data", str(missing))

    assert failed.status == 2
    assert f"no arena in the folder {missing}. Start one with `arena up --data '{missing}'`" in (
        failed.err
    )
    assert not missing.exists()


def test_a_url_without_the_administrators_token_is_explained(run: Run) -> None:
    failed = run("ratings", "--url", "127.0.0.1:1")

    assert failed.status == 2
    assert "Set ARENA_ADMIN_TOKEN" in failed.err
    assert "use --data" in failed.err


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        ("a\nb", "ARENA_ADMIN_TOKEN is not valid"),
        ("secret\r\n", "The arena at 127.0.0.1:1 cannot be used"),
    ],
)
def test_an_administrators_token_is_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, token: str, sentence: str
) -> None:
    monkeypatch.setenv("ARENA_ADMIN_TOKEN", token)

    assert sentence in run("ratings", "--url", "127.0.0.1:1").err


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("127.0.0.1:7420", True),
        ("grpc://localhost:7420/", True),
        ("127.0.0.1:7999", False),
        ("arena.example:7420", False),
    ],
)
def test_the_arena_in_the_folder_is_used_if_the_url_is_its_gateway(
    run: Run, played: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str, found: bool
) -> None:
    database, redis = f"sqlite:///{tmp_path / 'arena.db'}", "redis://127.0.0.1:1/0"
    here = folder.Running(1, "127.0.0.1:7420", "http://127.0.0.1:7421", database, redis, "")
    monkeypatch.setenv("ARENA_URL", url)
    with folder.lock(tmp_path):
        folder.announce(tmp_path, here)
        listed = run("bot", "list")

    assert listed.status == (0 if found else 2)
    assert ("ann" in listed.out) is found
    assert found or "unset ARENA_URL" in listed.err
    assert found or "website, http://127.0.0.1:7421." in listed.err or "arena.example" in url


def test_an_arena_that_cannot_be_reached_is_reported(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_ADMIN_TOKEN", "secret")

    failed = run("ratings", "--url", "127.0.0.1:1")

    assert failed.status == 2
    assert "The arena at 127.0.0.1:1 cannot be used" in failed.err


def test_an_address_of_another_kind_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_ADMIN_TOKEN", "secret")

    assert "Give it as HOST:PORT" in run("ratings", "--url", "ftp://x:1").err
    assert "is the address of a website" in run("ratings", "--url", "http://x").err


def test_a_folder_and_a_url_contradict_each_other(run: Run, tmp_path: Path) -> None:
    assert "either --data or --url" in run("ratings", "--url", "x", "--data", str(tmp_path)).err


def test_a_folder_is_chosen_over_the_url_of_the_environment(
    run: Run, played: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_URL", "127.0.0.1:1")

    assert run("ratings", "--data", str(tmp_path)).status == 0


def test_a_variable_that_cannot_be_used_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_PORT", "many")

    assert run("up").err.startswith("Error: ARENA_PORT is 'many'")


@pytest.mark.parametrize("process", ["gateway", "worker", "beat"])
def test_a_process_without_redis_ends_with_a_sentence(tmp_path: Path, process: str) -> None:
    here = {"ARENA_REDIS_URL": "redis://127.0.0.1:1/0", "ARENA_DATA": str(tmp_path)}
    upgrade_store(f"sqlite:///{tmp_path / 'arena.db'}").dispose()

    failed = nursery.start("arena.cli", process, env=here)
    said, _ = failed.communicate(timeout=60)

    assert failed.returncode == 2
    assert "Redis at 127.0.0.1:1 cannot be reached" in said
    assert "Traceback" not in said


def test_a_second_arena_in_the_same_folder_is_refused(run: Run, tmp_path: Path) -> None:
    with folder.lock(tmp_path):
        failed = run("up")

    assert failed.status == 2
    assert f"An arena is already running in {tmp_path}" in failed.err


def test_a_database_that_is_only_being_made_is_no_arena_yet(run: Run, tmp_path: Path) -> None:
    (tmp_path / "arena.db").touch()

    assert "There is no arena in the folder" in run("bot", "list").err
    assert run("bot", "add", "mybot").status == 0
    assert "mybot" in run("bot", "list").out


def test_no_arena_to_stop_is_reported(run: Run, tmp_path: Path) -> None:
    failed = run("down")

    assert failed.status == 2
    assert failed.err == (
        f"Error: No arena is running in {tmp_path}. Choose another folder with --data.\n"
    )


def test_a_process_that_does_not_hold_the_folder_is_not_stopped(run: Run, tmp_path: Path) -> None:
    """As in a container, where the arena's process has another number."""
    with folder.lock(tmp_path), subprocess.Popen(["sleep", "60"]) as other:
        (tmp_path / "lock").write_text(f"{other.pid:10} {folder.RUNNING}")
        failed = run("down")
        assert other.poll() is None
        other.kill()

    assert failed.status == 2
    assert "cannot be stopped from here" in failed.err


# Help


def test_the_help_lists_every_command_and_each_has_its_own(run: Run) -> None:
    listed = run("--help").out
    commands = [line.split()[0] for line in listed.partition("Commands:\n")[2].splitlines()]

    assert commands[:2] == ["demo", "up"]
    assert len(commands) >= 10
    for command in commands:
        assert run(command, "--help").out.startswith(f"Usage: arena {command}")


def test_an_unknown_command_ends_with_status_2(run: Run) -> None:
    assert run("frobnicate").status == 2
