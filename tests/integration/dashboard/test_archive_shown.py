"""Archived matches on pages and on the command line."""

import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from arena.base import instant
from arena.base.config import Settings
from arena.operations.doctor.examine import examine_archives
from arena.store import Store, archiving
from arena.store.cache import forget_all
from arena.store.matches import matches, months
from arena.store.reports.verdict import TrustVerdict, verdict_on
from dashboard import create_app
from tests.integration.conftest import Run
from tests.integration.played import play, register
from tests.integration.store.test_store_months import of_month
from tests.made_results import entered, results, save

OLD = "1970-01"  # when the matches of `play` end
FILE = f"matches-{OLD}-1.sqlite"
ARCHIVED = "12 older matches are archived and not listed here"


@pytest.fixture
def filled(sqlite_store: Store) -> Store:
    """A finished tournament of twelve old matches, and a new one of which a match is stored."""
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=2)
    save(sqlite_store, of_month(results(entered(sqlite_store))[:1], 2))
    return sqlite_store


@pytest.fixture
def archived(filled: Store) -> Store:
    """The same, the old matches archived."""
    archiving.save_month(filled, months.named(OLD), None)
    return filled


@pytest.fixture
def browser(filled: Store) -> FlaskClient:
    return create_app(Settings(), filled, None).test_client()


def ids(store: Store) -> list[str]:
    """Those of the old tournament, newest first."""
    with store.read() as conn:
        rows, _ = matches.list_matches(conn, tournament=1, with_archived=True)
    return [row.id for row in rows]


# The command line


def test_months_go_to_files_and_come_back(run: Run, filled: Store) -> None:
    before = [run("match", "show", each).out for each in ids(filled)]
    records = run("match", "export", "--tournament", "1").out

    planned = run("archive", "save", "--dry-run")
    assert f"{OLD}: 12 matches would be archived in {filled.archive}" in planned.out
    assert not filled.archive.exists()
    assert "There is no month" in run("archive", "save", "--before", "earlier").err
    assert f"{OLD}: 12 matches archived" in run("archive", "save").out
    assert "There is no month to archive" in run("archive", "save").err

    assert f"{FILE}: 12 matches, intact." in run("archive", "check").out
    assert FILE in run("archive", "list").out
    assert [run("match", "show", each).out for each in ids(filled)] == before
    assert run("match", "export", "--tournament", "1").out == records
    assert run("match", "verify", "--tournament", "1").out.startswith("12 matches verified")
    assert run("ratings", "rebuild", "--check").status == 0
    assert f"No longer needed: {FILE}" in run("archive", "restore", OLD).out
    assert run("match", "export", "--tournament", "1").out == records
    assert "There are no archives" in run("archive", "list").err
    assert [e["action"] for e in _audit(run)][:2] == ["restored", "archived"]


def _audit(run: Run) -> list[dict[str, str]]:
    return [json.loads(line) for line in run("audit-log", "--json").out.splitlines()]


def test_what_holds_a_month_up_is_said(run: Run, sqlite_store: Store) -> None:
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=2, only=1)
    save(sqlite_store, of_month(results(entered(sqlite_store))[:1], 2))

    for arguments in (["--dry-run"], []):
        refused = run("archive", "save", *arguments)
        assert refused.status == 1
        assert f"{OLD} cannot be archived. Deal" in refused.err
        assert "of tournament 1, which is not over" in refused.err


def test_matches_of_a_wrong_clock_are_said_to_delay_archives(
    run: Run, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = of_month(results(entered(sqlite_store))[:1], 12, 2089)
    with monkeypatch.context() as wrong:
        wrong.setattr(instant, "now", lambda: found[0].finished)
        save(sqlite_store, found)
    said = run("archive", "save").err
    assert "A match was stored with a wrong clock, in 2089-12." in said


def test_a_database_of_several_machines_wants_a_folder_of_all(
    run: Run, postgres_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres_store.url.render_as_string(hide_password=False)
    monkeypatch.setenv("ARENA_DATABASE_URL", url)

    assert "ARENA_ARCHIVE is not set" in run("archive", "save").err

    monkeypatch.setenv("ARENA_ARCHIVE", str(tmp_path / "archive"))
    assert "There is no month to archive" in run("archive", "save").err


@pytest.mark.parametrize("month", ["2026-13", "soon"])
def test_what_is_no_month_is_refused(run: Run, filled: Store, month: str) -> None:
    for arguments in (["save", "--before", month], ["restore", month]):
        refused = run("archive", *arguments)
        assert refused.status == 2
        assert "Write a month like 2026-11" in refused.err.replace("\n", " ")


def test_a_file_that_is_lost_or_damaged_is_named(run: Run, archived: Store) -> None:
    file, wanted = archived.archive / FILE, ids(archived)[0]
    whole = file.read_bytes()
    assert [each.state for each in examine_archives(archived)] == ["fine"]

    file.write_bytes(whole[:-5000])
    assert f"{FILE} is damaged" in run("archive", "check", FILE).err
    file.unlink()

    shown = run("match", "show", wanted)
    assert shown.status != 0
    assert f"may be in the archive {FILE}, which is not in {archived.archive}" in shown.err
    assert run("archive", "check", "all").status == 1
    assert "MISSING" in run("archive", "list").out
    (finding,) = examine_archives(archived)
    assert FILE in finding.sentence
    assert "There is no archive other" in run("archive", "check", "other").err


def test_lists_say_what_they_lack_and_give_it_if_asked(run: Run, archived: Store) -> None:
    listed = run("match", "list")
    assert ARCHIVED in listed.err
    assert len(run("match", "list", "--archived").out.splitlines()) == 12 + len(
        listed.out.splitlines()
    )
    assert ARCHIVED in run("match", "list", "--tournament", "1").err
    assert "Older matches are archived" in run("match", "list", "--bot", "ann").err
    assert "archived" not in run("match", "list", "--bot", "eve").err
    assert "Remove the bot" in run("match", "list", "--bot", "ann", "--archived").err


def test_a_backup_names_what_it_does_not_hold(run: Run, archived: Store, tmp_path: Path) -> None:
    backup, fresh = str(tmp_path / "backup.gz"), tmp_path / "fresh"

    assert f"Also back up {FILE}" in run("backup", backup).err

    assert run("restore", backup, "--data", str(fresh)).status == 0
    assert "MISSING" in run("archive", "list", "--data", str(fresh)).out
    archived.archive.rename(fresh / "archive")
    assert run("archive", "check", "--data", str(fresh)).status == 0
    assert run("ratings", "rebuild", "--check", "--data", str(fresh)).status == 0


# Pages


def test_pages_of_archived_matches_are_as_before(filled: Store, browser: FlaskClient) -> None:
    addresses = [
        f"{start}/{each}{end}"
        for each in ids(filled)[:3]
        for start, end in (("/matches", ""), ("/matches", "/replay"), ("/api/matches", ""))
    ]
    before = [shown(browser, address) for address in addresses]

    archiving.save_month(filled, months.named(OLD), None)

    assert [shown(browser, address) for address in addresses] == before


def shown(browser: FlaskClient, address: str) -> str:
    """A page but for the tokens of its forms, which say in which second they were made."""
    text = browser.get(address, buffered=True).text
    return re.sub(r'(name="csrf_token" value=)"[^"]*"', r"\1", text)


def test_first_faults_are_the_same_after_archiving(run: Run, filled: Store) -> None:
    before = run("tournament", "export", "1", "--what", "faults").out
    archiving.save_month(filled, months.named(OLD), None)

    assert run("tournament", "export", "1", "--what", "faults").out == before
    (filled.archive / FILE).unlink()
    assert FILE in run("tournament", "export", "1", "--what", "faults").err


def test_verdicts_are_the_same_after_archiving(filled: Store) -> None:
    def found() -> TrustVerdict:
        forget_all()
        with filled.read() as conn:
            return verdict_on(conn, 1)

    before = found()
    archiving.save_month(filled, months.named(OLD), None)

    assert found() == before
    (filled.archive / FILE).unlink()
    assert found().kinds == {"unknown": before.faults}


def test_lists_end_with_how_many_are_archived(archived: Store, browser: FlaskClient) -> None:
    for address in ("/matches", "/matches?tournament=1", "/tournaments/1/matches", "/api/matches"):
        assert ARCHIVED in browser.get(address, buffered=True).text
    for address in ("/matches?bot=ann", "/bots/ann/matches"):
        assert "Older matches are archived" in browser.get(address, buffered=True).text
    for address in ("/matches?tournament=2", "/bots/eve/matches", "/matches?limit=1&bot=eve"):
        assert "archived" not in browser.get(address, buffered=True).text


def test_a_bots_page_does_not_deny_archived_matches(archived: Store, browser: FlaskClient) -> None:
    ann, eve = (browser.get(f"/bots/{name}", buffered=True).text for name in ("ann", "eve"))

    assert ann.count("Older matches are archived") == 2
    assert "No matches of this game yet." not in ann
    assert "No wins yet." not in ann
    assert "No wins yet." in eve


def test_a_page_whose_archive_is_missing_says_so(archived: Store, browser: FlaskClient) -> None:
    wanted = ids(archived)[0]
    (archived.archive / FILE).unlink()

    for address in (f"/matches/{wanted}", f"/matches/{wanted}/replay", f"/api/matches/{wanted}"):
        answer = browser.get(address, buffered=True)
        assert answer.status_code == 503
        assert f"may be in the archive {FILE}, which is missing." in answer.text
        assert str(archived.archive) not in answer.text
    audit = browser.get("/tournaments/1/audit.jsonl", buffered=True)
    assert audit.status_code == 503
    assert f"in the archive {FILE}, which is missing." in audit.text
    alone = browser.get("/tournaments/1/crosstable", buffered=True)
    assert alone.status_code == 503
    for address in ("/matches", "/tournaments/1", "/tournaments/1/analysis", "/bots/ann", "/"):
        assert browser.get(address, buffered=True).status_code == 200
    part = browser.get("/tournaments/1/analysis", buffered=True).text
    assert part.count(f"in the archive {FILE}, which is missing.") == 1  # for its crosstable
