"""Formatting of numbers and times, and the colours of heat maps.

The colours are CSS classes from heat-m4 (below the middle) to heat-p4 (above). Every cell also
shows its number, so that nothing is shown by colour alone.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from arena.base.text import duration, latency, plural
from arena.games.rules import GAMES
from arena.games.rules.options import is_count, option_title
from arena.hosting.submission.files import size_text
from arena.service.forecast import Forecast
from arena.service.forecast.sentences import summary
from arena.tournaments.formats import FORMATS, TournamentSpec, format_of

MINUS = "\N{MINUS SIGN}"
STEPS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
LEVELS = 4  # of a heat map
SCORE_SPAN = 0.32  # scores from .18 to .82 use all colours; few pairs differ by more


def count(number: float) -> str:
    """12345 -> "12,345"."""
    return f"{number:,.0f}"


def elo(number: float) -> str:
    return f"{number:.0f}"


def change(number: float | None) -> str:
    """Return a rating change with its sign; "" for None."""
    if number is None:
        return ""
    return ("+" if number >= 0 else MINUS) + f"{abs(number):.1f}"


def exact(number: float) -> str:
    """Return a number with two decimals; zero has no sign."""
    return signed(number).removeprefix("+")


def mean(number: float) -> str:
    return f"{number:.1f}"


def signed(number: float, places: int = 2) -> str:
    """Return a number with its sign and this number of decimals; zero has no sign."""
    text = f"{abs(number):.{places}f}"
    return f"{'' if not float(text) else '+' if number > 0 else MINUS}{text}"


def percent(share: float, places: int = 1) -> str:
    """0.583 -> "58.3%"."""
    return f"{signed(100 * share, places).removeprefix('+')}%"


def speed(per_second: float) -> str:
    """Return matches per second, with about two digits."""
    return f"{per_second:.0f}" if per_second >= 10 else f"{per_second:.1f}"


def ordinal(number: int) -> str:
    """1 -> "1st", 12 -> "12th"."""
    teen = 10 < number % 100 < 20
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def moment(unix: float | None, form: str = "moment") -> Markup:
    """Return a time in UTC; `times.js` converts it to the local time zone."""
    if unix is None:
        return Markup("")
    at = datetime.fromtimestamp(unix, UTC)
    return _time(at, f"{at.day} {at:%b %Y, %H:%M} UTC", form)


def appointment(unix: float | None) -> Markup:
    """Return a time to be there, in UTC; `times.js` adds it in the local time zone."""
    return moment(unix, "appointment")


def ago(unix: float, now: float) -> Markup:
    """Return the time since an event; the exact time is in its title."""
    passed = max(0.0, now - unix)
    for length, unit in STEPS:
        if passed >= length:
            text = f"{plural(int(passed // length), unit)} ago"
            break
    else:
        text = "just now"
    return _time(datetime.fromtimestamp(unix, UTC), text, "ago")


def _time(at: datetime, text: str, form: str) -> Markup:
    exact = at.isoformat(timespec="seconds")
    # Nothing here needs escaping, which would be slow.
    return Markup(  # noqa: S704
        f'<time datetime="{exact}" data-form="{form}"'
        f' title="{exact[:10]} {exact[11:19]} UTC">{text}</time>'
    )


def game(name: str) -> str:
    return GAMES[name].title if name in GAMES else name


def format_title(name: str) -> str:
    return FORMATS[name].title if name in FORMATS else name


def option(name: str, value: str, of: str) -> str:
    """Return an option of a game or a tournament format with its value: "Round limit: 500"."""
    known = GAMES[of].known_options if of in GAMES else FORMATS[of].options if of in FORMATS else {}
    return f"{option_title(known, name)}: {count(int(value)) if is_count(value) else value}"


def forecast_summary(forecast: Forecast, spec: TournamentSpec, left: bool = False) -> str:
    """Return a sentence about the duration of a tournament, or the remaining time."""
    return summary(forecast, at_most=format_of(spec.format).ends_early, left=left)


def heat(value: float, middle: float, span: float) -> str:
    """Return the class for a value; at `span` from the middle or more, the colour is full."""
    level = round(LEVELS * min(max((value - middle) / span, -1.0), 1.0))
    if not level:
        return "heat"
    return f"heat heat-{'p' if level > 0 else 'm'}{abs(level)}"


def score_heat(score: float) -> str:
    return heat(score, 0.5, SCORE_SPAN)


def chance_heat(chance: float) -> str:
    return heat(chance, 0.5, 0.5)


def residual_heat(residual: float | None) -> str:
    """Return the class for a residual, with one level per standard error."""
    return heat(residual or 0.0, 0.0, LEVELS)


def chance(probability: float) -> str:
    """Return a probability in percent that is never 0 or 100: "99.7", ">99.9"."""
    percent = 100.0 * probability
    if percent > 99.9:
        return ">99.9"
    if percent < 0.1:
        return "<0.1"
    return f"{percent:.1f}" if not 1.0 <= percent <= 99.0 else f"{percent:.0f}"


FILTERS: dict[str, Callable[..., Any]] = {
    "ago": ago,
    "chance": chance,
    "chance_heat": chance_heat,
    "change": change,
    "count": count,
    "duration": duration,
    "elo": elo,
    "exact": exact,
    "forecast_summary": forecast_summary,
    "format_title": format_title,
    "game": game,
    "latency": latency,
    "mean": mean,
    "moment": moment,
    "appointment": appointment,
    "option": option,
    "ordinal": ordinal,
    "percent": percent,
    "plural": plural,
    "residual_heat": residual_heat,
    "score_heat": score_heat,
    "signed": signed,
    "size": size_text,
    "speed": speed,
}
