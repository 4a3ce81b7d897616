"""The terms of a tournament: one description for each public field of a `TournamentSpec`.

Messages, checks, exports, the options of `arena tournament new`, the form and the pages follow it,
in its order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from arena.base.errors import InvalidRequest
from arena.base.text import latency, plural
from arena.tournaments.formats.spec import BY_MATCH, BY_TOURNAMENT, CORRECTED, RAW, TournamentSpec

MAX_MATCHES = 1_000_000_000
MOST_SEED = 2**64 - 1
SPEC = TournamentSpec()


@dataclass(frozen=True, kw_only=True)
class Term:
    """A public field. The spec has its default; 0, "" and None mean that it is not set."""

    name: str  # in messages, files and forms
    attribute: str = ""  # of the spec, if it has another name
    required: bool = False  # in a message; other fields may be left out
    limits: tuple[int, int] | None = None  # of a number
    words: Mapping[str, str] = field(default_factory=dict)  # the choices, with their texts

    # The option of the command; none without a help text.
    help: str = ""
    option: str = ""  # if it has another name
    metavar: str | None = None

    # On the form, if it has a label.
    label: str = ""
    hint: str = ""

    # On the page of terms: a heading, and the text of a value ("" hides it).
    heading: str = ""
    text: Callable[[Any], str] = str
    sentence: Callable[[Any], str] = lambda value: ""  # in `arena tournament show`

    # Whether exports have it, and read it back because the schedule depends on it. Exports leave
    # out the value `unexported`: for a new field its default, so that older exports stay the same.
    exported: Literal["", "shown", "planned"] = ""
    unexported: object = ()

    def of(self, spec: TournamentSpec) -> Any:
        """The value of a tournament."""
        return getattr(spec, self.attribute or self.name)

    @property
    def default(self) -> Any:
        """The value of a tournament that does not set it."""
        return self.of(SPEC)

    def check(self, value: Any) -> None:
        """Raises InvalidRequest for a value outside the limits or choices."""
        if self.limits and value is not None:
            check_limits(self.name, value, *self.limits)
        if self.words and value not in self.words:
            choices = " or ".join(self.words)
            raise InvalidRequest(f'The {self.name} is "{value[:40]}". Choose {choices}.')


def check_limits(name: str, value: int, least: int, most: int) -> None:
    """Raises InvalidRequest for a number outside its limits."""
    if not least <= value <= most:
        raise InvalidRequest(f"{name} is {value}. It must be from {least} to {most}.")


TERMS = (
    Term(name="name", help="Title.  [default: generated]"),
    Term(name="game", required=True, help="Game to play.", exported="planned"),
    Term(name="options", exported="planned"),
    Term(name="format", help="Format; see `arena tournament formats`.", exported="planned"),
    Term(name="format_options", exported="planned"),
    Term(name="seats", required=True, help="Seats at a table, 2 to 6.", exported="planned"),
    Term(name="bots"),
    Term(
        name="matches",
        limits=(0, MAX_MATCHES),
        help="Matches per table of bots, each with a new deal; in versus, matches per block. "
        "Rounded up, so that each bot plays every seat equally often.  [default: ten per seat]",
        exported="planned",
    ),
    Term(
        name="deals",
        limits=(0, MAX_MATCHES),
        help="Deals per table, instead of --matches, with --format-option deals=duplicate. Each "
        "deal is played in every rotation of the seats, in versus twice.",
        exported="planned",
    ),
    Term(
        name="trusted",
        help="Confirm that you trust every entrant. Required for duplicate deals unless all "
        "are house bots or, with --isolation match, hosted Python bots: a bot with a memory "
        "recognises the cards.",
        heading="Trust",
        text=lambda trusted: "the organiser trusts every entrant" if trusted else "",
        sentence=lambda trusted: "The organiser trusts every entrant." if trusted else "",
        exported="shown",
    ),
    Term(
        name="isolation",
        words={BY_MATCH: "one match", BY_TOURNAMENT: "the whole tournament"},
        help="Lifetime of a hosted bot's process, and so of its memory.",
        label="Lifetime of a hosted bot\N{RIGHT SINGLE QUOTATION MARK}s process",
        hint="A bot remembers nothing beyond it.",
        heading="Hosted bots",
        text={
            BY_MATCH: "",
            BY_TOURNAMENT: "keep one process for all matches, and can remember earlier ones",
        }.__getitem__,
        sentence={
            BY_MATCH: "",
            BY_TOURNAMENT: "Hosted bots keep one process for all matches and can remember them.",
        }.__getitem__,
        exported="shown",
    ),
    Term(
        name="luck",
        words={CORRECTED: "luck-adjusted scores", RAW: "unadjusted scores"},
        help="Scores for ratings, pairs and versus: luck-adjusted if there is a luck model for the "
        "game, seats and options, or unadjusted. Points, wins and Elo are never adjusted.",
        label="Ratings use",
        hint="Adjusted where the arena has a luck model for the game, seats and options. Points, "
        "wins and Elo are never adjusted.",
        heading="Luck",
        text={
            CORRECTED: "ratings use luck-adjusted scores where there is a luck model",
            RAW: "ratings use unadjusted scores",
        }.__getitem__,
        sentence={
            CORRECTED: "Ratings use luck-adjusted scores if there is a luck model for the game, "
            "seats and options. Points, wins and Elo are not adjusted.",
            RAW: "Ratings use unadjusted scores.",
        }.__getitem__,
        exported="shown",
        unexported=RAW,
    ),
    Term(
        name="move_ms",
        limits=(1, 3_600_000),
        help="Milliseconds per move.",
        label="Time for a move, ms",
        heading="Time for a move",
        text=lambda ms: latency(1000 * ms),
    ),
    Term(
        name="fault_limit",
        limits=(1, 1_000),
        help="Number of faults at which a bot forfeits a match.",
        label="Forfeit after",
        hint="Faults of a bot in a match",
        heading="Forfeit after",
        text=lambda faults: f"{plural(faults, 'fault')} in a match",
    ),
    Term(
        name="start_grace_s",
        limits=(0, 86_400),
        help="Seconds to wait for disconnected bots at the start, and again with their matches, "
        "before they forfeit.",
        option="--start-grace",
        label="Wait for bots, s",
        hint="Matches of bots that are not connected by then wait as long again. Then they "
        "forfeit.",
    ),
    Term(
        name="seed",
        attribute="repeats",
        limits=(0, MOST_SEED),
        help="Seed of a repeatable tournament: its secret consists of this number and a random "
        "salt. Both are published at the end. Requires --trusted unless all are house bots.  "
        "[default: a random secret]",
        label="Seed",
        hint="Makes the tournament repeatable. The seed and a random salt are published at the "
        "end. All bots must be yours, house bots or trusted. Leave empty for a random secret.",
    ),
    Term(
        name="salt",
        help="Salt of the tournament to repeat, with --seed. The two reveal all cards.  "
        "[default: random]",
        metavar="HEX",
    ),
)
