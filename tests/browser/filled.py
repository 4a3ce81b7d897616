"""A database with content for every page, with names and texts that are hostile to layouts."""

import time
from dataclasses import dataclass, replace
from datetime import date

from sqlalchemy import Connection, update

from arena.games.rules import GAMES
from arena.hosting.submission.manifest import Manifest
from arena.store import Store, tables
from arena.store.matches import bot_notes
from arena.store.matches.matches import StoredMatch, get_match, list_matches
from arena.store.registry import (
    accounts,
    bots,
    building,
    invitations,
    names,
    profiles,
    runs,
    submissions,
)
from arena.store.registry.accounts import Account
from arena.store.registry.profiles import AuthorProfile, BotProfile
from arena.store.registry.runs import NewRun, OutputPart, RunKind
from arena.store.reviews import puzzles
from arena.store.save import MatchResult, save_results
from arena.store.tournaments import (
    creation,
    daily,
    discussion,
    format_state,
    guests,
    series,
    tournaments,
)
from arena.store.tournaments.tournaments import Kind, State, Tournament
from arena.tournaments.formats import PlannedMatch, TournamentSpec, check_spec, format_of
from arena.tournaments.formats.series import Recurrence
from arena.tournaments.formats.sign_up import SignUp, check_open
from tests.integration.noted import decisions_of
from tests.integration.people import HASHED
from tests.integration.played import played
from tests.integration.puzzled import store_puzzles
from tests.integration.reviewed import store_review
from tests.made_results import SALT

OWNER = "W" * 40  # an account with bots
ORGANISER = "constructor"
WIDEST = "M" * 40
RETIRED = "retired-one"
HOSTED = "H" * 40
OWNED = (WIDEST, "0", RETIRED)  # the first two have the same owner, and meet in "versus"
BOTS = (WIDEST, "0", "NaN", "constructor", "x.._--", "ann")

SCRIPT = "<script>window.owned=1</script>"
NAME = f"{SCRIPT}\"'>&amp;{{{{7*7}}}} שלום عالم {'W' * 40}"
REASON = (
    f'{SCRIPT}</p></bdi><img src=x onerror=\'window.owned=1\'> " onfocus="window.owned=1" '
    f"\u202etxet a fo dne eht\u2066 שלום {'W' * 200} {{{{7*7}}}} &lt;"
)

PLAYED: tuple[State, ...] = ("running", "finished")


def fill(store: Store) -> dict[str, str]:
    """Fills an empty store deterministically.

    Returns parts of URLs by name, as in "/tournaments/{resumed}".
    """
    places: dict[str, str] = {"widest": WIDEST, "retired": RETIRED, "author": OWNER}
    with store.write() as conn:
        owner = accounts.sign_up(conn, OWNER, HASHED)
        accounts.sign_up(conn, ORGANISER, HASHED, organiser=True)
        for number, name in enumerate((*BOTS, RETIRED)):
            _register(conn, f"bot{number}", name, owner.id if name in OWNED else None)
        bots.retire(conn, RETIRED)
        _described(conn, owner)
        for game in GAMES:
            spec = TournamentSpec(
                game=game, bots=BOTS, seats=3, matches=3, repeats=7, salt=SALT, trusted=True
            )
            found = _play(conn, replace(spec, name=NAME if game == "lama" else ""), *PLAYED)
            places[f"{game}-tournament"] = str(found.tournament.id)
            places[game] = found.faulty
        pair = TournamentSpec(
            format="versus", bots=BOTS[:2], seats=2, matches=16, repeats=7, salt=SALT
        )
        pair = replace(pair, trusted=True)
        versus = _play(conn, pair, *PLAYED)
        places |= {"versus": str(versus.tournament.id), "reviewed": versus.ids[0]}
        places["versus-match"] = versus.ids[1]
        places["knockout"] = str(_knockout(conn))
        places |= _unfinished(conn)
        places["series"] = _series(conn, int(places["open"]), int(places["knockout"]))
        invitations.invite(conn, NAME[:80], [], 3, 30, time.time())
        invitations.sign_up(conn, 1, "pupil-of-a-class", HASHED, time.time())
        organiser = accounts.by_name(conn, ORGANISER)
        number = int(places["lama-tournament"])
        for author in (owner, organiser):
            discussion.write(conn, number, author, REASON, 1e9, announcement=True)
        places |= _submitted(conn)
        test = TournamentSpec(bots=(WIDEST, "ann"), seats=2, matches=2, name="Test")
        test = replace(test, repeats=7, salt=SALT, trusted=True)
        places["test"] = str(_play(conn, test, *PLAYED, owner=owner.id, kind="test").tournament.id)
        places["day"] = _daily(conn, owner)
        reviewed, solved = (get_match(conn, places[each]) for each in ("reviewed", "kadabra"))
        _noted(conn, reviewed)
    store_review(store, reviewed)
    first, second, *_ = store_puzzles(store, solved, 3)
    with store.write() as conn:
        puzzles.answer(conn, second.id, owner.id, second.alternatives[1].action, time.time())
    places |= {"puzzle": str(first.id), "answered": str(second.id)}
    return places


def _register(conn: Connection, free: str, name: str, owner: int | None) -> None:
    """Registers a bot, possibly with a name that new bots cannot have."""
    bots.register(conn, free, owner=owner)
    renamed = update(tables.bots).where(tables.bots.c.name == free)
    conn.execute(renamed.values(name=name, **names.keys(name)))


def _described(conn: Connection, owner: Account) -> None:
    """Fills the descriptions of a bot and its author with hostile text."""
    link = f"https://{'w' * 60}.example.org/?q=%22%3E{SCRIPT}"
    said = (SCRIPT * 6 + REASON)[: profiles.LONGEST]
    profiles.describe(conn, bots.get(conn, WIDEST).id, BotProfile(said, link, "Python"))
    profiles.publish(conn, owner, AuthorProfile(said, link))


def _noted(conn: Connection, match: StoredMatch) -> None:
    """Adds public notes with hostile text to every decision of a match."""
    for seat, each in enumerate(match.seats):
        bot = bots.get(conn, each.bot).id
        texts = dict.fromkeys(decisions_of(match, seat), f"{REASON}\n\n{SCRIPT}")
        bot_notes.add(conn, bot, match.id, seat, texts, 1e9)
        bot_notes.set_public(conn, bot, public=True)


def _knockout(conn: Connection) -> int:
    """Plays a knockout of four bots; returns its number."""
    cup = TournamentSpec(format="knockout", bots=BOTS[:4], seats=2, name="Cup")
    spec = check_spec(replace(cup, repeats=7, salt=SALT, trusted=True))
    made = creation.create(conn, spec)
    tournaments.set_state(conn, made.id, "running")
    for number in range(2):
        known = format_state.fold(conn, made)
        block = format_of("knockout").block(made.spec, number, known.so_far)
        save_results(conn, [_blamed(played(made, match)) for match in block])
    format_state.fold(conn, made)
    tournaments.end(conn, made)
    return made.id


def _unfinished(conn: Connection) -> dict[str, str]:
    """Creates unfinished tournaments, which wait a day for bots that never connect."""
    # Duplicate deals, so that some matches are sealed.
    shared = {"deals": "duplicate"}
    waits = TournamentSpec(bots=BOTS, seats=4, deals=3, format_options=shared, trusted=True)
    waits = replace(waits, repeats=8, salt=SALT, start_grace_s=86_400)
    resumed = _play(conn, replace(waits, name=NAME), "running", "cancelled", "waiting", only=10)
    stopped = _play(conn, replace(waits, repeats=9, salt=SALT), "running", "cancelled", only=4)
    ladder = _play(conn, replace(waits, seats=2, format="ladder", bots=BOTS[1:]), only=0)
    return {
        "resumed": str(resumed.tournament.id),
        "locked": resumed.ids[-1],
        "stopped": str(stopped.tournament.id),
        "ladder": str(ladder.tournament.id),
        "open": str(_open(conn)),
    }


def _open(conn: Connection) -> int:
    """Creates a tournament that is open for sign-up for a day."""
    places = SignUp(max_bots=8)
    spec = check_open(TournamentSpec(name=NAME, bots=BOTS[:1]), places)
    tomorrow = time.time() + 86_400
    return creation.create(conn, spec, starts_at=tomorrow, sign_up=places).id


def _series(conn: Connection, opened: int, held: int) -> str:
    """Makes two tournaments a series; returns its number."""
    until = date.fromtimestamp(time.time() + 60 * 86_400)  # noqa: DTZ012
    weekly = Recurrence(7, "Europe/Berlin", until, 2)
    number = series.begin(conn, tournaments.get(conn, opened), weekly)
    conn.execute(tables.series_tournaments.insert().values(tournament=held, series=number, due=0.0))
    return str(number)


def _daily(conn: Connection, owner: Account) -> str:
    """Adds yesterday's daily deal with an attempt of the owner, who is also rated; returns the
    date."""
    yesterday = time.time() - daily.DAY_S
    deals = [("lama", daily.day_of(yesterday))]
    daily.add(conn, deals)
    deal = daily.get(conn, *deals[0])
    assert deal is not None
    guest = guests.sit(conn, guests.arrive(conn, (owner.id, owner.name)))
    spec = TournamentSpec(bots=(guest.name, "ann"), seats=2, format="sitting", deals=1)
    spec = check_spec(replace(spec, repeats=7, salt=SALT, trusted=True), sitting=True)
    table = creation.create(conn, spec, kind="table")
    daily.enter(conn, deal, table.id, guest, owner.id, yesterday)
    save_results(conn, [_blamed(played(table, PlannedMatch(0, 0, (0, 1))))])
    tournaments.set_state(conn, table.id, "finished", now=yesterday)
    daily.open_deals(conn, [deal.id], yesterday)
    accounts.set_listed(conn, owner, True)
    row: dict[str, object] = {
        "account": owner.id,
        "game": "lama",
        "games": 200,
        "wins": 60,
        "pending": 0,
    }
    row |= {"score": 0.55, "rating": 1534.0, "plus_minus": 48.0}
    conn.execute(tables.person_ratings.insert().values(**row))
    return str(deal.date)


def _submitted(conn: Connection) -> dict[str, str]:
    """Adds a refused and an accepted upload. A newer version follows, so that no host plays the
    accepted one."""
    bot = bots.get(conn, WIDEST)
    refused = submissions.submit(conn, bot, b"# refused\n").id
    building.claim(conn, "host", 0.0, 60.0)
    building.note(conn, refused, "host", f"{REASON}\n" * 40)
    building.refuse(conn, refused, "host", REASON)
    accepted = submissions.submit(conn, bot, b"# accepted\n", "W" * 40).id
    building.claim(conn, "host", 0.0, 60.0)
    building.accept(conn, accepted, "host", b"", Manifest(entry="bot.py"), b"")
    bots.new_version(conn, WIDEST)
    return {"refused": str(refused), "accepted": str(accepted), **_hosted(conn)}


def _hosted(conn: Connection) -> dict[str, str]:
    """Adds a hosted bot whose next version is being built, with process runs, one of which has
    hostile output."""
    owner = bots.get(conn, WIDEST).owner
    bot, _ = bots.register(conn, HOSTED, owner=owner)
    current = submissions.submit(conn, bot, b"# current\n").id
    building.claim(conn, "host", 0.0, 60.0)
    building.accept(conn, current, "host", b"", Manifest(entry="bot.py"), b"")
    # The lease is long enough to keep this build unfinished.
    unfinished = submissions.submit(conn, bot, b"# building\n").id
    building.claim(conn, "host", 0.0, 4e9)
    player = bots.get(conn, HOSTED).player
    match = list_matches(conn, limit=1)[0][0].id
    parts = (
        OutputPart("start", f"{REASON}\n", "", 0, 0),
        OutputPart("decision", f"{'W' * 300}\n" * 40, match, 3, 0),
        OutputPart("decision", "in another\n", "m" * 16, 4, 12),
        OutputPart("unanswered", REASON, match, 12345, 0),
        OutputPart("late", "late\n", "", 0, 0),
        OutputPart("end", "end\n", "", 0, 0),
    )
    quiet = [NewRun(player, match, RunKind.OTHER, 1e9 + n, 0.1 * n, 9000 + n, "") for n in range(9)]
    unkind = NewRun(player, match, RunKind.ENDED, 2e9, 123.4, 0, REASON, parts)
    runs.add(
        conn, [*quiet, NewRun(player, "", RunKind.WROTE, 1.5e9, 0.0, 9, "", parts[1:3]), unkind]
    )
    last = runs.of_bot(conn, bot.id)[0].id
    return {
        "hosted": HOSTED,
        "current": str(current),
        "building": str(unfinished),
        "run": str(last),
        "quiet-run": str(last - 2),
    }


@dataclass(frozen=True)
class _Played:
    tournament: Tournament
    results: tuple[MatchResult, ...]

    @property
    def ids(self) -> list[str]:
        return [result.id for result in self.results]

    @property
    def faulty(self) -> str:
        return next(result.id for result in self.results if result.notes)


def _play(
    conn: Connection,
    spec: TournamentSpec,
    *states: State,
    only: int | None = None,
    owner: int | None = None,
    kind: Kind = "tournament",
) -> _Played:
    tournament = creation.create(conn, check_spec(spec), owner=owner, kind=kind)
    planned = format_of(spec.format).block(tournament.spec, 0)[:only]
    results = tuple(_blamed(played(tournament, match)) for match in planned)
    save_results(conn, results)
    for state in states:
        tournaments.set_state(conn, tournament.id, state)
    return _Played(tournaments.get(conn, tournament.id), results)


def _blamed(result: MatchResult) -> MatchResult:
    """The same result with hostile fault reasons."""
    notes = tuple(replace(note, kind="error", reason=REASON) for note in result.notes)
    return replace(result, notes=notes)
