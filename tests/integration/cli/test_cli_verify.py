"""`arena tournament verify` on what was exported, where there is no arena any more."""

import json
import random
from pathlib import Path

import pytest
import redis
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.audit import lines as audit_lines
from arena.service.control.port import all_matches
from arena.service.control.service import ControlService
from arena.store import Store
from arena.store.registry import bots
from arena.store.save import save_results
from arena.store.tournaments import batches, creation, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, audit, check_spec, exported, format_of
from dashboard import create_app
from tests.integration.conftest import Run
from tests.integration.played import played
from tests.integration.store.test_store_months import of_month
from tests.made_results import SALT, entered, result, results, save
from workers.advancing.advance import advance

NAMES = ("ann", "bob", "cho")


@pytest.fixture
def over(sqlite_store: Store) -> Tournament:
    """A finished tournament of six matches that were really played, one bot in its version 2."""
    with sqlite_store.write() as conn:
        bots.register(conn, "bob")
        bots.new_version(conn, "bob", "2")
    tournament = entered(sqlite_store, NAMES, seats=2, matches=2)
    with sqlite_store.write() as conn:
        block = format_of("round-robin").block(tournament.spec, 0)
        save_results(conn, [played(tournament, match) for match in block])
        tournaments.set_state(conn, tournament.id, "running")
        tournaments.set_state(conn, tournament.id, "finished")
        return tournaments.get(conn, tournament.id)


def written(run: Run, folder: Path, number: int) -> tuple[str, str]:
    audit, records = str(folder / "audit.jsonl"), str(folder / "records.jsonl")
    run("tournament", "export", str(number), "--what", "audit", "--out", audit)
    run("match", "export", "--tournament", str(number), "--out", records)
    return audit, records


def test_a_stranger_checks_it_from_the_files_alone(
    run: Run, over: Tournament, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = written(run, tmp_path, over.id)
    monkeypatch.setenv("ARENA_DATABASE_URL", "sqlite:////nowhere/at/all.db")

    said = run("tournament", "verify", *files, "--commitment", over.commitment)

    assert said.status == 0, said.err
    assert f"the secret matches the commitment {over.commitment}." in said.out
    assert "6 matches: schedule, deals and ids follow" in said.out
    assert "Every shuffle, roll and result follows from it, too." in said.out
    assert f"Repeatable: --seed 7 --salt {over.spec.salt}" in said.out


def test_an_archived_tournament_gives_the_same_files(
    run: Run, over: Tournament, sqlite_store: Store, tmp_path: Path
) -> None:
    before = [Path(file).read_text() for file in written(run, tmp_path, over.id)]
    save(sqlite_store, of_month(results(entered(sqlite_store, NAMES))[:1], 2))

    assert "6 matches archived" in run("archive", "save").out

    assert [Path(file).read_text() for file in written(run, tmp_path, over.id)] == before
    browser = create_app(Settings(), sqlite_store, None).test_client()
    audit = browser.get(f"/tournaments/{over.id}/audit.jsonl", buffered=True)
    assert audit.text == before[0]


def test_changes_are_reported_with_exit_status(run: Run, over: Tournament, tmp_path: Path) -> None:
    audit, records = written(run, tmp_path, over.id)
    lines = Path(audit).read_text().splitlines()
    told = json.loads(lines[2])
    told["points"][0] += 1
    Path(audit).write_text("\n".join([*lines[:2], json.dumps(told), *lines[3:]]))

    said = run("tournament", "verify", audit, records)

    assert said.status == 1
    assert f"Record {told['id']}: its result is not the result" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("text", "status"),
    [("", 1), ("{}\n", 1), ("[1]\n", 2), ("no json\n", 2), ('{"format": "x"}\n', 1)],
)
def test_other_files_are_refused_with_a_sentence(
    run: Run, tmp_path: Path, text: str, status: int
) -> None:
    file = tmp_path / "x"
    file.write_text(text)

    said = run("tournament", "verify", str(file))

    assert said.status == status
    assert said.err.strip().endswith(".")
    assert "Traceback" not in said.err


def test_one_that_runs_exports_no_secret(run: Run, over: Tournament, sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, over.id, "running")

    told = json.loads(
        run("tournament", "export", str(over.id), "--what", "audit").out.splitlines()[0]
    )

    assert (told["secret"], told["repeats"], told["repeatable"]) == ("", None, True)
    assert told["commitment"] == over.commitment
    assert over.secret not in run("tournament", "show", str(over.id)).out
    assert over.secret not in run("tournament", "show", str(over.id), "--json").out
    assert over.spec.salt not in run("tournament", "show", str(over.id), "--json").out


def browser_of(store: Store) -> FlaskClient:
    return create_app(Settings(), store, None).test_client()


def test_the_page_of_a_finished_one_has_the_secret_and_the_file(
    run: Run, over: Tournament, sqlite_store: Store, tmp_path: Path
) -> None:
    browser = browser_of(sqlite_store)
    text = browser.get(f"/tournaments/{over.id}/terms").text
    file = tmp_path / "page.jsonl"
    file.write_bytes(browser.get(f"/tournaments/{over.id}/audit.jsonl", buffered=True).data)

    assert over.secret in text
    assert over.commitment in text
    assert f"--seed {over.spec.repeats} --salt {over.spec.salt}" in text
    assert f'href="/tournaments/{over.id}/audit.jsonl"' in text
    assert run("tournament", "verify", str(file)).status == 0


@pytest.mark.parametrize("state", ["waiting", "running", "cancelled"])
def test_before_the_end_no_page_and_no_answer_has_it(
    over: Tournament, sqlite_store: Store, state: str
) -> None:
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, over.id, state)  # type: ignore[arg-type]
    browser = browser_of(sqlite_store)
    schedule = str(over.spec.seed)

    for path in (
        "/", "/tournaments", f"/tournaments/{over.id}", f"/tournaments/{over.id}/live",
        f"/tournaments/{over.id}/tables", f"/tournaments/{over.id}/terms",
        f"/tournaments/{over.id}/matches", f"/tournaments/{over.id}/analysis",
        f"/api/tournaments/{over.id}", "/api/tournaments",
        "/api/tournaments.csv", "/api/overview", "/api/matches",
        f"/tournaments/{over.id}/audit.jsonl",
    ):  # fmt: skip
        text = browser.get(path, buffered=True).text
        assert over.secret not in text, path
        assert schedule not in text, path
        assert over.spec.salt not in text, path
    told = json.loads(browser.get(f"/api/tournaments/{over.id}").text)
    assert (told["commitment"], told["secret"], told["repeatable"]) == (over.commitment, "", True)
    assert "seed" not in told["spec"]
    assert "salt" not in told["spec"]
    assert "repeats" not in told["spec"]
    assert browser.get(f"/tournaments/{over.id}/audit.jsonl").status_code == 409
    assert "published when the tournament" in browser.get(f"/tournaments/{over.id}/terms").text


def test_a_ladder_with_an_older_version_beside_the_newest_verifies(
    sqlite_store: Store, redis_client: redis.Redis, redis_url: str
) -> None:
    names = ("ada", "ada@1", "bob", "cyd")
    with sqlite_store.write() as conn:
        for name in ("ada", "bob", "cyd"):
            bots.register(conn, name)
        bots.new_version(conn, "ada")
        spec = TournamentSpec(
            format="ladder", seats=2, bots=names, matches=2, repeats=1, salt=SALT, trusted=True,
            start_grace_s=0, format_options={"matches": "60"},
        )  # fmt: skip
        made = creation.create(conn, check_spec(spec))
    chance = random.Random(1)
    while numbers := advance(sqlite_store, redis_client, made.id):
        for number in numbers:
            with sqlite_store.read() as conn:
                planned = batches.get_batch(conn, made.id, number).matches
            points = ([chance.randrange(40) for _ in each.seats] for each in planned)
            save(sqlite_store, [result(made, *each) for each in zip(planned, points, strict=True)])
            with sqlite_store.write() as conn:
                batches.finish_batch(conn, made.id, number)
    control = ControlService(sqlite_store, redis_url)
    message = control.get_tournament(pb.TournamentId(id=made.id))

    lines = list(audit_lines(message, all_matches(control, made.id)))

    found, records = exported.read(json.loads(json.dumps(each)) for each in lines)
    assert found.spec.bots == names
    audit.check(found, records)
