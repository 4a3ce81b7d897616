"""Every page of the dashboard, with the URL and the visitor for its test."""

from collections.abc import Mapping
from dataclasses import dataclass

from werkzeug.routing import Rule

from arena.games.rules import GAMES
from arena.kit.new.languages import LANGUAGES


@dataclass(frozen=True)
class Visit:
    """A visit to a page: `who` is "" for a signed-out visitor, "owner", or "organiser"."""

    endpoint: str
    path: str
    who: str = ""
    status: int = 200

    def __str__(self) -> str:
        return f"{self.path}{f' as {self.who}' if self.who else ''}"

    def address(self, places: Mapping[str, str]) -> str:
        """The path with the arena's numbers and names."""
        return self.path.format(**places)


VISITS = (
    Visit("overview.show", "/"),
    Visit("overview.show", "/", "owner"),
    Visit("account.sign_in", "/sign-in"),
    Visit("account.sign_up", "/sign-up"),
    Visit("account.show", "/account", "owner"),
    Visit("author.edit", "/account/public", "owner"),
    Visit("webhooks.show", "/account/webhooks", "owner"),
    Visit("leaving.ask", "/account/delete", "owner"),
    Visit("invitations.show", "/invitations", "organiser"),
    Visit("invitations.join", "/join/unknown", status=404),
    Visit("email.show", "/account/email/confirm?token=old"),
    Visit("reset.ask", "/reset-password"),
    Visit("reset.show", "/reset-password/new?token=old"),
    Visit("elsewhere.arrive", "/sign-up/elsewhere"),
    Visit("elsewhere.go", "/sign-in/with/github", status=404),
    Visit("elsewhere.come_back", "/sign-in/from/github", status=404),
    Visit("unsubscribe.show", "/unsubscribe?token=old", status=400),
    Visit("author.show", "/authors/{author}"),
    Visit("author.show", "/authors/{author}", "organiser"),
    Visit("mine.show", "/my/bots", "owner"),
    Visit("mine.new", "/my/bots/-/new", "owner"),
    Visit("mybot.show", "/my/bots/{widest}", "owner"),
    Visit("mybot.show", "/my/bots/{widest}?done=made", "owner"),
    Visit("mybot.show", "/my/bots/{retired}", "owner"),
    Visit("trial.show", "/my/bots/{widest}/tests/{test}", "owner"),
    Visit("submissions.show", "/my/bots/{widest}/submissions", "owner"),
    Visit("submissions.show", "/my/bots/{retired}/submissions", "owner"),
    Visit("submission.show", "/my/bots/{widest}/submissions/{refused}", "owner"),
    Visit("submission.show", "/my/bots/{widest}/submissions/{accepted}", "owner"),
    Visit("editor.show", "/my/bots/{widest}/submissions/-/editor", "owner"),
    Visit("mybot.show", "/my/bots/{hosted}", "owner"),
    Visit("submission.show", "/my/bots/{hosted}/submissions/{current}", "owner"),
    Visit("submission.show", "/my/bots/{hosted}/submissions/{building}?then=try", "owner"),
    Visit("runs.show", "/my/bots/{widest}/runs", "owner"),
    Visit("runs.show", "/my/bots/{hosted}/runs", "owner"),
    Visit("runs.show", "/my/bots/{hosted}/runs?ended=true", "owner"),
    Visit("run.show", "/my/bots/{hosted}/runs/{run}", "owner"),
    Visit("run.show", "/my/bots/{hosted}/runs/{quiet-run}", "owner"),
    Visit("ratings.show", "/ratings"),
    Visit("pairs.show", "/ratings/pairs?game=lama"),
    Visit("pairs.show", "/ratings/pairs?game=lama&a=ann&b={widest}"),
    Visit("tournaments.show", "/tournaments"),
    Visit("tournaments.show", "/tournaments", "organiser"),
    Visit("new_tournament.show", "/tournaments/new", "organiser"),
    Visit("tournament.show", "/tournaments/{lama-tournament}"),
    Visit("tournament.show", "/tournaments/{resumed}", "organiser"),
    Visit("tournament.show", "/tournaments/{ladder}", "owner"),
    Visit("tournament.matches", "/tournaments/{lama-tournament}/matches"),
    Visit("tournament.analysis", "/tournaments/{lama-tournament}/analysis"),
    Visit("tournament.terms", "/tournaments/{lama-tournament}/terms"),
    Visit("tournament.show", "/tournaments/{open}"),
    Visit("tournament.show", "/tournaments/{open}", "owner"),
    Visit("tournament.show", "/tournaments/{versus}"),
    Visit("watch.show", "/tournaments/{lama-tournament}/watch"),
    Visit("watch.show", "/tournaments/{ladder}/watch"),
    Visit("discussion.show", "/tournaments/{lama-tournament}/discussion", "organiser"),
    Visit("series.show", "/series/{series}", "organiser"),
    Visit("embed.tournament", "/embed/tournaments/{lama-tournament}"),
    Visit("embed.ratings", "/embed/ratings"),
    Visit("embed.replay", "/embed/matches/{lama}"),
    Visit("embed.replay", "/embed/matches/{locked}"),
    Visit("tournament.crosstable", "/tournaments/{lama-tournament}/crosstable"),
    Visit("conduct.ask_to_cancel", "/tournaments/{resumed}/cancel", "organiser"),
    Visit("conduct.ask_to_resume", "/tournaments/{stopped}/resume", "organiser"),
    Visit("matches.show", "/matches"),
    Visit("matches.show", "/matches?bot={widest}&lost=true&worst=true"),
    *(Visit("match.show", f"/matches/{{{game}}}") for game in GAMES),
    Visit("match.show", "/matches/{locked}"),
    *(Visit("replay.show", f"/matches/{{{game}}}/replay") for game in GAMES),
    Visit("replay.show", "/matches/{lama}/replay?seat=1&move=9"),
    Visit("replay.show", "/matches/{reviewed}/replay"),
    Visit("bots.show", "/bots"),
    Visit("bot.show", "/bots/{widest}"),
    Visit("bot.show", "/bots/sharp"),
    Visit("bot.matches", "/bots/{widest}/matches"),
    Visit("bot.analysis", "/bots/{widest}/analysis"),
    Visit("bot.status", "/bots/{widest}/status"),
    Visit("bot_reviews.show", "/bots/{widest}/reviews"),
    Visit("bot_reviews.show", "/bots/ann/reviews"),
    Visit("play.show", "/play"),
    Visit("play.own_record", "/play/record"),
    Visit("play.own_record", "/play/record", "owner"),
    Visit("play.table", "/play/{table}", "owner"),
    Visit("daily.show", "/play/daily"),
    Visit("daily.show", "/play/daily", "owner"),
    Visit("daily.of_day", "/play/daily/{day}"),
    Visit("friends.new", "/play/tables"),
    Visit("friends.new", "/play/tables", "owner"),
    Visit("friends.show", "/play/tables/{friends}"),
    Visit("friends.show", "/play/tables/{friends}", "owner"),
    Visit("seen.show", "/play/tables/{friends}/watch"),
    Visit("people.show", "/play/people"),
    Visit("people.show", "/play/people", "owner"),
    Visit("puzzles.index", "/play/puzzles"),
    Visit("puzzles.index", "/play/puzzles", "owner"),
    Visit("puzzles.show", "/play/puzzles/{puzzle}"),
    Visit("puzzles.show", "/play/puzzles/{puzzle}?hint=1"),
    Visit("puzzles.show", "/play/puzzles/{puzzle}", "owner"),
    Visit("puzzles.show", "/play/puzzles/{answered}", "owner"),
    Visit("rules.index", "/rules"),
    *(Visit("rules.show", f"/rules/{game}") for game in GAMES),
    Visit("sdk.index", "/sdk"),
    Visit("sdk.index", "/sdk", "owner"),
    *(Visit("sdk.show", f"/sdk/{language}") for language in LANGUAGES),
    Visit("docs.index", "/docs"),
    Visit("docs.show", "/docs/bots"),
    Visit("docs.show", "/docs/limits"),
    Visit("docs.find", "/docs/search?q=packed"),
    Visit("help.ratings", "/help/ratings"),
    Visit("review.explained", "/help/reviews"),
    Visit("api.about", "/json"),
    Visit("status.show", "/status"),
    Visit("search.show", "/search"),
    Visit("search.show", "/search?q=a"),
    Visit("search.show", "/search?q=no+such+thing"),
    Visit("no page", "/no/such/page", status=404),
    Visit("no page", "/tournaments/new", "owner", status=403),
)

# Areas and pages of running text and forms, which do not use the width of a large screen.
OF_LINES = {
    *("account", "author.edit", "webhooks", "leaving", "email", "reset", "elsewhere"),
    *(
        "unsubscribe",
        "invitations",
        "mine",
        "mybot",
        "trial",
        "submissions",
        "submission",
        "editor",
    ),
    *(
        "runs",
        "run",
        "conduct",
        "play.show",
        "daily",
        "friends",
        "seen",
        "people",
        "puzzles.index",
        "rules",
        "sdk",
        "docs",
        "help",
    ),
    *("review.explained", "api", "embed"),
}


def uses_large_screens(visit: Visit) -> bool:
    """Whether the page has tables, charts or boards that benefit from a large screen."""
    area = visit.endpoint.partition(".")[0]
    lines = {area, visit.endpoint} & OF_LINES
    return visit.status == 200 and not lines and visit.path != "/matches/{locked}"


# Lists, and documents to read.
LONG = ("matches.show", "docs", "sdk", "help", "review", "api")


def is_long(visit: Visit) -> bool:
    """Whether the page may be higher than two screens."""
    return not {visit.endpoint, visit.endpoint.partition(".")[0]}.isdisjoint(LONG)


# Only these areas may show names that programs use.
FOR_AUTHORS = ("api", "docs", "rules", "sdk")


def tells_names(visit: Visit) -> bool:
    """Whether the page may show names of options and fields."""
    return visit.endpoint.partition(".")[0] in FOR_AUTHORS


# Endpoints for programs and scripts, and parts of visited pages.
PARTS = (
    "live",
    "parts",
    "tables",
    "stream",
    "livez",
    "healthz",
    "readyz",
    "static",
    "plain_static",
    "audit",
    "as_json",
)
FOR_PROGRAMS = ("calendar", "feeds", "pictures")  # whole areas
FILES = (
    *(
        "digests",
        "export",
        "first_bot",
        "package",
        "proto_file",
        "projects",
        "releases",
        "source",
        "output",
    ),
    *("full_text", "short_text", "favicon", "robots"),
)


def is_page(rule: Rule) -> bool:
    """Whether the rule is a page for people."""
    name = rule.endpoint.rpartition(".")[2]
    return (
        "GET" in (rule.methods or ())
        and name not in PARTS + FILES
        and rule.endpoint.partition(".")[0] not in FOR_PROGRAMS
        and not rule.rule.startswith("/api")
    )
