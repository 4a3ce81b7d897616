"""Submissions in the store: from upload to version, whatever hosts do meanwhile."""

import threading
from pathlib import Path

import pytest
from sqlalchemy import select, update

from arena.base.errors import AlreadyExists, InvalidRequest, LimitReached, NotFound, NotNow
from arena.hosting.submission.manifest import Manifest
from arena.service.health import facts
from arena.service.host.builds import Turns
from arena.store import Store
from arena.store.backup.database import save_backup
from arena.store.backup.format import BackupReader
from arena.store.registry import accounts, bots, building, built
from arena.store.registry import submissions as registry
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.building import CUT, LONGEST_LOG
from arena.store.registry.built import AT_ONCE
from arena.store.registry.submissions import (
    BOTS_AT_THE_LIMIT,
    DAY_S,
    KEPT_DAYS,
    Submission,
    SubmissionLimits,
)
from arena.store.tables import players, submission_files, submissions
from arena.store.tournaments import creation, tournaments
from arena.store.tournaments.hosted import wanted as hosted_wanted
from arena.store.tournaments.tournaments import State
from arena.tournaments.formats import TournamentSpec, check_spec
from tests.made_results import entered

NOW, LEASE_S = 1_000_000.0, 60.0
MANIFEST = Manifest(entry="bot.py", environment={"DEPTH": "3"})


@pytest.fixture
def ada(store: Store) -> RegisteredBot:
    with store.write() as conn:
        return bots.register(conn, "ada")[0]


def owned(store: Store, account: str, *names: str) -> list[RegisteredBot]:
    """New bots of a new account."""
    with store.write() as conn:
        owner = accounts.sign_up(conn, account, "$argon2id$...").id
        for name in names:
            bots.register(conn, name)
        return [bots.set_owner(conn, name, owner) for name in names]


def submitted(store: Store, bot: RegisteredBot, source: bytes = b"1", **more: object) -> Submission:
    with store.write() as conn:
        return registry.submit(conn, bot, source, **{"now": NOW, **more})  # type: ignore[arg-type]


def claimed(store: Store, host: str = "h", now: float = NOW) -> Submission | None:
    with store.write() as conn:
        return building.claim(conn, host, now, LEASE_S)


def accepted(store: Store, number: int, host: str = "h", **of: object) -> RegisteredBot:
    with store.write() as conn:
        manifest = Manifest(**{"entry": "bot.py", **of})  # type: ignore[arg-type]
        return building.accept(conn, number, host, b"tree %d" % number, manifest, b"hello", NOW)


def published(store: Store, bot: RegisteredBot, source: bytes = b"1") -> tuple[int, RegisteredBot]:
    """Uploads and accepts."""
    number = submitted(store, bot, source).id
    claimed(store)
    return number, accepted(store, number)


def state(store: Store, number: int) -> str:
    with store.read() as conn:
        return registry.get(conn, number).state


def test_an_upload_becomes_a_hosted_version(store: Store, ada: RegisteredBot) -> None:
    uploaded = submitted(store, ada, b"source")
    assert (uploaded.bot, uploaded.state, uploaded.version) == ("ada", "waiting", "")
    with store.read() as conn:
        assert bots.get(conn, "ada") == ada  # not entered before it is accepted

    held = claimed(store)
    assert held is not None
    assert (held.id, held.state, held.host, held.attempts) == (uploaded.id, "building", "h", 1)
    with store.write() as conn:
        building.note(conn, held.id, "h", "built\n")
        building.validating(conn, held.id, "h")
    assert state(store, held.id) == "validating"
    version = accepted(store, held.id, environment={"DEPTH": "3"})

    with store.read() as conn:
        assert bots.get(conn, "ada") == version
        ended = registry.get(conn, held.id)
        kept = built.tree_of(conn, version.player)
        assert registry.source(conn, held.id) == b"source"
    assert (version.version, version.hosted) == ("2", True)
    assert (ended.state, ended.version, ended.player) == ("accepted", "2", version.player)
    assert (ended.log, ended.lease_until) == ("built\n", None)
    assert (kept.submission, kept.manifest, kept.hello) == (held.id, MANIFEST, b"hello")
    assert (kept.tree, len(kept.key)) == (b"tree %d" % held.id, 32)


@pytest.mark.parametrize(
    ("upload", "manifest", "label"), [("a", "b", "a"), ("", "b", "b"), ("", "", "2")]
)
def test_the_upload_names_the_version_else_the_manifest_else_it_is_counted(
    store: Store, ada: RegisteredBot, upload: str, manifest: str, label: str
) -> None:
    number = submitted(store, ada, label=upload).id
    claimed(store)
    assert accepted(store, number, version=manifest).version == label


def test_a_version_that_exists_is_refused_at_once_or_at_the_end(
    store: Store, ada: RegisteredBot
) -> None:
    with pytest.raises(AlreadyExists, match="ada already has a version 1"):
        submitted(store, ada, label="1")
    with pytest.raises(InvalidRequest, match='"-" is not a valid version'):
        submitted(store, ada, label="-")
    number = submitted(store, ada).id
    claimed(store)

    with pytest.raises(AlreadyExists, match="already has a version 1") as refusal:
        accepted(store, number, version="1")

    assert state(store, number) == "building"  # nothing of it happened
    with store.write() as conn:
        building.refuse(conn, number, "h", str(refusal.value))
        ended = registry.get(conn, number)
    assert (ended.state, ended.reason) == ("refused", str(refusal.value))


def test_a_newer_upload_withdraws_one_that_waits_but_not_one_that_is_built(
    store: Store, ada: RegisteredBot
) -> None:
    first = submitted(store, ada).id
    second = submitted(store, ada).id
    assert (state(store, first), state(store, second)) == ("withdrawn", "waiting")

    claimed(store)
    with pytest.raises(NotNow, match=f"Its submission {second} is being built. Wait"):
        submitted(store, ada)
    with store.read() as conn:
        assert [each.id for each in registry.of_bot(conn, ada.id)] == [second, first]
        assert [each.id for each in registry.of_bot(conn, ada.id, before=second)] == [first]


def test_an_upload_has_a_size_and_a_bot_so_many_a_day(store: Store, ada: RegisteredBot) -> None:
    limits = SubmissionLimits(bytes=2 << 20, per_day=2)
    with pytest.raises(LimitReached, match="larger than 2 MB"):
        submitted(store, ada, bytes((2 << 20) + 1), limits=limits)
    with pytest.raises(InvalidRequest, match="The upload is empty"):
        submitted(store, ada, b"")
    submitted(store, ada, limits=limits)
    submitted(store, ada, limits=limits, now=NOW + 1)

    with pytest.raises(LimitReached, match="ada has had 2 submissions in 24 hours"):
        submitted(store, ada, limits=limits, now=NOW + 86_399)
    assert submitted(store, ada, limits=limits, now=NOW + 86_400.5).state == "waiting"


def test_an_account_cannot_flood_the_queue_with_many_bots(store: Store, ada: RegisteredBot) -> None:
    limits = SubmissionLimits(per_day=1)
    flood = owned(store, "eve", *(f"flood{number}" for number in range(BOTS_AT_THE_LIMIT + 1)))
    for bot in flood[:BOTS_AT_THE_LIMIT]:
        submitted(store, bot, limits=limits)

    with pytest.raises(LimitReached, match="owner have had 5 submissions in 24 hours"):
        submitted(store, flood[-1], limits=limits, now=NOW + 1)

    with store.read() as conn:
        left = [registry.left_today(conn, bot, NOW, limits) for bot in (flood[-1], ada)]
    assert left == [0, 1], "others are not concerned"
    assert submitted(store, flood[-1], limits=limits, now=NOW + 86_400.5).state == "waiting"


def test_an_account_that_uploads_for_all_its_bots_at_once_is_counted(store: Store) -> None:
    flood = owned(store, "eve", *(f"flood{number}" for number in range(BOTS_AT_THE_LIMIT + 3)))
    together, full = threading.Barrier(len(flood)), list[LimitReached]()

    def upload(bot: RegisteredBot) -> None:
        together.wait()
        try:
            submitted(store, bot, limits=SubmissionLimits(per_day=1))
        except LimitReached as error:
            full.append(error)

    uploads = [threading.Thread(target=upload, args=(bot,)) for bot in flood]
    for each in uploads:
        each.start()
    for each in uploads:
        each.join()

    assert len(full) == 3


def test_hosts_take_the_oldest_first_and_each_one_once(store: Store) -> None:
    with store.write() as conn:
        registered = [bots.register(conn, name)[0] for name in ("one", "two", "three")]
        bots.retire(conn, "two")
    first, _, third = (submitted(store, bot).id for bot in registered)

    taken = [claimed(store, host) for host in ("a", "b", "c")]

    assert [each and (each.id, each.host) for each in taken] == [(first, "a"), (third, "b"), None]


def test_authors_take_turns_in_any_order_of_uploads(store: Store, ada: RegisteredBot) -> None:
    flood = [f"flood{number}" for number in range(4)]
    for bot in (*owned(store, "eve", *flood), *owned(store, "bob", "bob1", "bob2"), ada):
        submitted(store, bot)
    turns, served = Turns(), list[str]()
    while True:
        with store.write() as conn:
            found = building.claim(conn, "h", NOW, LEASE_S, turns.in_order)
        if found is None:
            break
        turns.took(found.author)
        served.append(found.bot)

    assert served == ["flood0", "bob1", "ada", "flood1", "bob2", "flood2", "flood3"]


def test_an_author_left_out_of_the_turn_waits(store: Store, ada: RegisteredBot) -> None:
    (bob,) = owned(store, "bob", "bob")
    for bot in (bob, ada):
        submitted(store, bot)

    with store.write() as conn:
        found = building.claim(
            conn, "h", NOW, LEASE_S, lambda authors: [one for one in authors if one != bob.owner]
        )
        assert found is not None
        assert found.bot == "ada"
        assert building.claim(conn, "h", NOW, LEASE_S, lambda authors: []) is None


def test_hosts_that_come_at_the_same_moment_get_different_ones(store: Store) -> None:
    with store.write() as conn:
        registered = [bots.register(conn, f"bot{n}")[0] for n in range(6)]
    for bot in registered:
        submitted(store, bot)
    together, found = threading.Barrier(3), list[int]()

    def host(name: str) -> None:
        together.wait()
        while (mine := claimed(store, name)) is not None:
            found.append(mine.id)

    hosts = [threading.Thread(target=host, args=(f"h{n}",)) for n in range(3)]
    for each in hosts:
        each.start()
    for each in hosts:
        each.join()

    assert len(found) == len(set(found)) == 6


def test_of_uploads_that_come_at_the_same_moment_one_waits_and_all_are_counted(
    store: Store, ada: RegisteredBot
) -> None:
    together, full = threading.Barrier(4), list[LimitReached]()

    def upload() -> None:
        together.wait()
        try:
            submitted(store, ada, limits=SubmissionLimits(per_day=3))
        except LimitReached as error:
            full.append(error)

    uploads = [threading.Thread(target=upload) for _ in range(4)]
    for each in uploads:
        each.start()
    for each in uploads:
        each.join()

    with store.read() as conn:
        states = [each.state for each in registry.of_bot(conn, ada.id)]
    assert states == ["waiting", "withdrawn", "withdrawn"]
    assert len(full) == 1


def test_a_lease_that_ends_lets_another_host_try_three_times_in_all(
    store: Store, ada: RegisteredBot
) -> None:
    number = submitted(store, ada).id
    for attempt, host in enumerate(("a", "b", "c")):
        held = claimed(store, host, NOW + attempt * 2 * LEASE_S)
        assert held is not None
        assert held.attempts == attempt + 1

    assert claimed(store, "d", NOW + 6 * LEASE_S) is None

    with store.read() as conn:
        ended = registry.get(conn, number)
    assert (ended.state, ended.host) == ("refused", "c")
    assert ended.reason.startswith("The build did not finish in 3 attempts")


def test_a_lease_that_is_renewed_does_not_end(store: Store, ada: RegisteredBot) -> None:
    number = submitted(store, ada).id
    claimed(store, "a")
    with store.write() as conn:
        assert building.renew(conn, number, "a", NOW + LEASE_S, LEASE_S)
        assert not building.renew(conn, number, "b", NOW + LEASE_S, LEASE_S)

    assert claimed(store, "b", NOW + 1.5 * LEASE_S) is None
    assert claimed(store, "b", NOW + 2.5 * LEASE_S) is not None


def test_a_host_that_lost_it_changes_nothing_any_more(store: Store, ada: RegisteredBot) -> None:
    number = submitted(store, ada).id
    claimed(store, "slow")
    claimed(store, "next", NOW + 2 * LEASE_S)
    with store.read() as conn:
        before = registry.get(conn, number)

    with store.write() as conn:
        for late in (
            lambda: building.note(conn, number, "slow", "x"),
            lambda: building.validating(conn, number, "slow"),
            lambda: building.refuse(conn, number, "slow", "x"),
            lambda: building.accept(conn, number, "slow", b"t", MANIFEST, b""),
        ):
            with pytest.raises(NotNow, match=f"Submission {number} cannot be changed"):
                late()
        assert not building.renew(conn, number, "slow", NOW, LEASE_S)
        assert registry.get(conn, number) == before
        assert bots.get(conn, "ada") == ada


def test_a_stopping_host_returns_its_submissions_without_an_attempt(
    store: Store, ada: RegisteredBot
) -> None:
    number = submitted(store, ada).id
    for _ in range(4):
        claimed(store, "a")
        with store.write() as conn:
            assert building.give_back(conn, "b") == 0
            assert building.give_back(conn, "a") == 1
    with store.read() as conn:
        found = registry.get(conn, number)
    assert (found.state, found.attempts, found.lease_until) == ("waiting", 0, None)


MOST = 16  # bytes of builds of an author


def built_of(store: Store, bot: RegisteredBot, size: int = 8) -> RegisteredBot:
    """Uploads and accepts a build of this size."""
    number = submitted(store, bot).id
    claimed(store)
    with store.write() as conn:
        return building.accept(
            conn, number, "h", bytes(size), MANIFEST, b"hello", NOW, most_stored=MOST
        )


def has_build(store: Store, bot: RegisteredBot) -> bool:
    with store.read() as conn:
        try:
            return built.tree_of(conn, bot.player).submission > 0
        except NotNow:
            return False


def test_builds_beyond_an_authors_limit_go_except_those_that_are_played(store: Store) -> None:
    ada, other = owned(store, "ada", "ada", "other")
    (eve,) = owned(store, "eve", "eve")
    first = built_of(store, ada)
    built_of(store, eve, MOST)
    with store.write() as conn:
        entry = TournamentSpec(bots=("ada", "eve"), seats=2, matches=2, trusted=True)
        creation.create(conn, check_spec(entry))

    second = built_of(store, ada)
    third = built_of(store, ada)
    assert [has_build(store, each) for each in (first, second, third)] == [True, False, True]

    number = submitted(store, other).id
    claimed(store)
    with (
        pytest.raises(LimitReached, match="other's author .* larger than 16 bytes together"),
        store.write() as conn,
    ):
        building.accept(conn, number, "h", bytes(8), MANIFEST, b"", NOW, most_stored=MOST)
    assert state(store, number) == "building"
    with store.write() as conn:
        bots.retire(conn, "ada")
        building.accept(conn, number, "h", bytes(8), MANIFEST, b"", NOW, most_stored=MOST)
    assert [has_build(store, each) for each in (first, third)] == [True, False]


def test_a_version_is_not_built_again_beyond_its_authors_limit(store: Store) -> None:
    ada, other = owned(store, "ada", "ada", "other")
    earlier, _ = published(store, ada)
    built_of(store, ada, size=0)
    built_of(store, other, MOST)
    with store.write() as conn:
        registry.rollback(conn, ada, earlier, NOW)
        with pytest.raises(LimitReached, match="Retire a bot") as refused:
            built.built_again(conn, earlier, bytes(8), MOST)
        built.not_built_again(conn, earlier, str(refused.value), NOW, for_good=True)
        assert "Retire a bot" in registry.get(conn, earlier).reason
        built.built_again(conn, earlier, b"", MOST)


def test_a_log_keeps_its_end_and_nothing_that_a_terminal_would_obey(
    store: Store, ada: RegisteredBot
) -> None:
    number = submitted(store, ada).id
    claimed(store)
    with store.write() as conn:
        building.note(conn, number, "h", "a\x1b[2Jb\0c\ud800\n\tä")
        assert registry.get(conn, number).log == "a�[2Jb�c�\n\tä"
        building.note(conn, number, "h", "x" * LONGEST_LOG + "end")
        building.note(conn, number, "h", "ing")
        log = registry.get(conn, number).log
    assert len(log) == LONGEST_LOG
    assert log.startswith(CUT + "x")
    assert log.endswith("xending")


def test_a_rollback_is_a_new_version_with_the_files_of_the_old(
    store: Store, ada: RegisteredBot
) -> None:
    first, second = published(store, ada, b"one"), published(store, ada, b"two")
    with store.write() as conn:
        back = registry.rollback(conn, ada, first[0], NOW)
        once_more = registry.rollback(conn, ada, back.id, NOW)
        newest = bots.get(conn, "ada")
        was, now = (built.tree_of(conn, p or 0) for p in (first[1].player, once_more.player))
        source = registry.source(conn, once_more.id)

    assert (back.state, back.version, once_more.version) == ("accepted", "2-again", "2-again2")
    assert (back.files_of, once_more.files_of) == (first[0], first[0])
    assert (newest.player, newest.hosted) == (once_more.player, True)
    assert newest.player > second[1].player
    assert (now.tree, now.manifest, now.hello, now.key) == (
        *(was.tree, was.manifest),
        *(was.hello, was.key),
    )
    assert source == b"one"


def test_a_rollback_of_a_long_label_counts_versions(store: Store, ada: RegisteredBot) -> None:
    number = submitted(store, ada, label="x" * 40).id
    claimed(store)
    accepted(store, number)
    with store.write() as conn:
        assert registry.rollback(conn, ada, number, NOW).version == "3"


def test_only_accepted_submissions_of_the_same_bot_can_be_rolled_back_to(
    store: Store, ada: RegisteredBot
) -> None:
    with store.write() as conn:
        bob, _ = bots.register(conn, "bob")
    of_bob, waiting = published(store, bob)[0], submitted(store, ada).id
    with store.write() as conn:
        for number in (of_bob, 999):
            with pytest.raises(NotFound, match=f"no submission {number}"):
                registry.rollback(conn, ada, number, NOW)
        with pytest.raises(NotNow, match=f"submission {waiting}. It is waiting, not accepted"):
            registry.rollback(conn, ada, waiting, NOW)
        with pytest.raises(LimitReached, match="bob has had 1 submissions in 24"):
            registry.rollback(conn, bob, of_bob, NOW, SubmissionLimits(per_day=1))


def test_the_owner_at_upload_time_is_stored(store: Store, ada: RegisteredBot) -> None:
    with store.write() as conn:
        owner = accounts.sign_up(conn, "lovelace", "$argon2id$...").id
        owned = bots.set_owner(conn, "ada", owner)
    number = submitted(store, owned).id
    with store.read() as conn:
        query = select(submissions.c.account).where(submissions.c.id == number)
        assert conn.scalar(query) == owner


def test_a_version_without_submission_cannot_be_played(store: Store, ada: RegisteredBot) -> None:
    with store.read() as conn:
        with pytest.raises(NotFound, match=f"Player {ada.player} is not hosted"):
            built.tree_of(conn, ada.player)
        for ask in (registry.get, registry.source):
            with pytest.raises(NotFound, match="no submission 7"):
                ask(conn, 7)


def test_hosts_have_the_newest_versions_and_those_in_tournaments(store: Store) -> None:
    tournament = entered(store, ("ada", "bob"), seats=2)
    with store.write() as conn:
        ada, bob = bots.get(conn, "ada"), bots.get(conn, "bob")
        conn.execute(update(players).where(players.c.id == ada.player).values(hosted=True))

    def wanted() -> list[str]:
        with store.read() as conn:
            return [each.label for each in hosted_wanted(conn)]

    assert wanted() == ["ada@1"]
    published(store, bob)
    assert wanted() == ["ada@1", "bob@2"]
    published(store, ada)
    assert wanted() == ["ada@2", "ada@1", "bob@2"]  # the older one is in a tournament
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished")
        bots.new_version(conn, "bob")  # which connects
    assert wanted() == ["ada@2"]
    with store.write() as conn:
        bots.retire(conn, "ada")
    assert wanted() == []


def test_a_backup_holds_uploads_one_at_a_time(
    store: Store, ada: RegisteredBot, tmp_path: Path
) -> None:
    published(store, ada, b"\0\xff" * 10)
    published(store, ada, b"two")
    path = tmp_path / "backup.gz"
    save_backup(store, path)

    with path.open("rb") as file:
        portions = list(BackupReader(file).portions())

    files = [portion.rows for portion in portions if portion.table is submission_files]
    assert [[row["source"] for row in rows] for rows in files if rows] == [
        [b"\0\xff" * 10],
        [b"two"],
    ]


def test_the_arenas_health_counts_uploads_that_no_host_has_taken(
    store: Store, ada: RegisteredBot
) -> None:
    def waiting() -> int:
        with store.read() as conn:
            return int(facts.stored(conn, NOW).numbers["uploads_waiting"])

    assert waiting() == 0
    submitted(store, ada)
    assert waiting() == 1

    claimed(store)
    assert waiting() == 0, "a host has it"

    with store.write() as conn:
        eve = bots.register(conn, "eve")[0]
    submitted(store, eve)
    with store.write() as conn:
        bots.retire(conn, "eve")
    assert waiting() == 0, "no host takes what a retired bot uploaded"


# What is not kept for ever

LATER = NOW + (KEPT_DAYS + 1) * DAY_S


def pruned(store: Store, *played: int, now: float = LATER, kept: int = 100) -> int:
    with store.write() as conn:
        return built.prune(conn, played, now, kept)


def missing(store: Store, *played: int) -> list[int]:
    with store.read() as conn:
        return list(built.to_build_again(conn, played))


def test_refused_and_withdrawn_uploads_are_pruned_after_days(
    store: Store, ada: RegisteredBot
) -> None:
    withdrawn = submitted(store, ada).id
    refused = submitted(store, ada).id
    claimed(store)
    with store.write() as conn:
        building.refuse(conn, refused, "h", "no bot")
    number, _ = published(store, ada)
    waiting = submitted(store, ada).id

    assert pruned(store, ada.player, now=NOW + KEPT_DAYS * DAY_S) == 0
    assert pruned(store, now=LATER) == 3  # and the build artifact without matches
    assert pruned(store) == 0
    with store.read() as conn:
        assert registry.source(conn, number) == registry.source(conn, waiting) == b"1"
        assert registry.get(conn, refused).reason == "no bot"
        for gone in (refused, withdrawn):
            with pytest.raises(NotFound, match=f"upload of submission {gone} is no longer stored"):
                registry.source(conn, gone)


def test_pruned_build_artifacts_are_rebuilt_when_played(store: Store, ada: RegisteredBot) -> None:
    first, one = published(store, ada)
    second, two = published(store, ada)
    with store.write() as conn:
        back = registry.rollback(conn, ada, first, NOW)
    assert back.player is not None

    assert pruned(store, two.player, back.player) == 0, "the first one's tree is played again"
    assert pruned(store, two.player) == 1
    assert missing(store, two.player) == []
    assert missing(store, one.player, back.player) == [first]
    with store.write() as conn:
        with pytest.raises(NotNow, match="has to be built again"):
            built.tree_of(conn, back.player)
        built.built_again(conn, first, b"tree once more")
        assert built.tree_of(conn, back.player).tree == b"tree once more"
        assert built.tree_of(conn, two.player).tree == b"tree %d" % second
    assert missing(store, one.player, back.player) == []


def test_a_rollback_renews_the_age_of_the_files(store: Store, ada: RegisteredBot) -> None:
    first, _ = published(store, ada)
    published(store, ada)
    with store.write() as conn:
        registry.rollback(conn, ada, first, LATER)
    assert pruned(store) == 1  # of the second


def test_much_is_forgotten_in_portions(store: Store, ada: RegisteredBot) -> None:
    limits = SubmissionLimits(per_day=100)
    for _ in range(AT_ONCE + 2):
        submitted(store, ada, limits=limits)
    assert [pruned(store), pruned(store), pruned(store)] == [AT_ONCE, 1, 0]


def stored(store: Store) -> list[int]:
    """The submissions whose files are stored."""
    with store.read() as conn:
        query = select(submission_files.c.submission).order_by(submission_files.c.submission)
        return list(conn.scalars(query))


def test_of_accepted_uploads_the_newest_of_each_bot_are_kept(
    store: Store, ada: RegisteredBot
) -> None:
    (bob,) = owned(store, "bo", "bob")
    of_bob, _ = published(store, bob)
    old, first, second, third = (published(store, ada)[0] for _ in range(4))
    with store.write() as conn:
        registry.rollback(conn, ada, first, NOW)

    assert pruned(store, now=NOW, kept=2) == 2
    assert stored(store) == [of_bob, first, third], "the one that was rolled back to is the newest"
    assert pruned(store, now=NOW, kept=2) == 0
    with store.write() as conn:
        assert not registry.has_source(conn, old)
        with pytest.raises(NotFound, match=f"upload of submission {second} is no longer stored"):
            registry.rollback(conn, ada, second, NOW)


@pytest.mark.parametrize("state", ["waiting", "running", "cancelled"])
def test_versions_that_may_still_play_are_kept(
    store: Store, ada: RegisteredBot, state: State
) -> None:
    with store.write() as conn:
        bots.register(conn, "bob")
    entering, old = published(store, ada)
    spec = check_spec(TournamentSpec(bots=(f"ada@{old.version}", "bob"), seats=2, matches=2))
    with store.write() as conn:
        tournament = creation.create(conn, spec)
        tournaments.set_state(conn, tournament.id, state)
    newest, _ = published(store, ada)

    assert pruned(store, now=NOW, kept=1) == 0
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished")
    assert stored(store) == [entering, newest]
    assert pruned(store, now=NOW, kept=1) == 1
    assert stored(store) == [newest]
    with store.write() as conn, pytest.raises(InvalidRequest, match="ada@2 cannot be hosted"):
        creation.create(conn, spec)
