"""A forecast as text, for pages and the command line."""

from arena.base.text import duration, latency, plural
from arena.service.forecast.forecast import Forecast, Slow

AS_SO_FAR = "results go on as so far"
UNEXPLAINED = 10  # times the measured rate
NAMED = 8  # bots, at most; the others are counted


def summary(forecast: Forecast, *, at_most: bool = False, left: bool = False) -> str:
    """The expected duration and its cause. Use `at_most` if results may end the tournament earlier,
    and `left` for the remainder of a running one."""
    about = f"{'At most' if at_most else 'About'} {duration(forecast.seconds)}"
    about += " left" if left else ""
    if forecast.rate is not None and not left:
        last = plural(forecast.rate.matches, "match", "matches")
        about += f", as in the latest {last} of these bots ({_few(forecast.rate.per_second)}/s)"
    if forecast.likely_seconds is not None:
        about += f", about {duration(forecast.likely_seconds)} if {AS_SO_FAR}"
    if forecast.slowest is None:
        return f"{about}."
    if forecast.waits:
        without = forecast.alternative
        other = "" if without is None else f"; without waiting for it {duration(without)}"
        return f"{about}: {forecast.slowest.bot} {slowness(forecast.slowest)}{other}."
    if forecast.rate is not None or not forecast.blames:
        return f"{about}."
    return f"{about}: no bot slows it down."


def slowness(slow: Slow) -> str:
    """The speed of a bot, to follow its name: "answers in 40 ms and takes 8 decisions at once,
    about 25 a second"."""
    several = "one decision at a time" if slow.at_once == 1 else f"{slow.at_once} decisions at once"
    answers = ""
    # A measured rate far below what its answers allow has another cause, such as a busy machine.
    if slow.p50_us and slow.at_once / slow.p50_us * 1e6 <= UNEXPLAINED * slow.per_second:
        answers = f"answers in {latency(slow.p50_us)} and "
    return f"{answers}takes {several}, about {_few(slow.per_second)} a second"


def reservations(forecast: Forecast) -> list[str]:
    """Sentences on missing data."""
    sentences = []
    if forecast.unmeasured:
        sentences.append(
            f"Not counted, because they were never measured: {_names(forecast.unmeasured)}."
        )
    if forecast.away:
        sentences.append(f"Not connected, counted at their latest speed: {_names(forecast.away)}.")
    return sentences


def _few(per_second: float) -> str:
    return f"{per_second:,.0f}" if per_second >= 10 else f"{per_second:.2g}"


def _names(bots: tuple[str, ...]) -> str:
    more = len(bots) - NAMED
    return ", ".join(bots[:NAMED]) + (f" and {more} more" if more > 0 else "")
