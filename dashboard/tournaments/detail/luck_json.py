"""The luck in a tournament as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.store.reports.match_luck import BotLuck, LuckyWin, TournamentLuck
from arena.store.reports.standings import Standing
from dashboard.api.shape import Many, Shape

BOT_LUCK = Shape(
    "BotLuck",
    BotLuck,
    about="The luck of a bot in a tournament, in wins against one opponent (a tie counts 0.5). "
    "`matches` are matches of whole deals whose luck is known. `luck` is the mean per match, "
    "`total` the sum, and `kinds` the mean by kind of event. `score` is the luck-adjusted score: "
    "luck times its coefficient is subtracted, so it may be below 0 or above 1. It is within "
    "`plus_minus` in 95 of 100 cases (null with few deals). `wins` are the luckiest wins.",
    hidden=("player",),
    more={"bot": str, "version": str, "wins": list[LuckyWin]},
)
TOURNAMENT_LUCK = Shape(
    "TournamentLuck",
    about="The luck in a tournament, with its bots in the order of the standings. `played` is the "
    "number of matches, `looked_at` of those whose luck was computed, and `matches` of those in "
    "whole deals with known luck. `model` is the version of the luck model, empty without one "
    "for the game, seats and options. `corrected`: ratings use luck-adjusted scores. Adjusting is "
    "worth as much as playing `factor` times the matches, from `factor_low` to `factor_high` in 95 "
    "of 100 cases. All three are null while unknown. `coefficient` is the mean factor with which "
    "luck is subtracted, fitted to these matches (1 trusts the model fully), null while no luck is "
    "known.",
    more={
        "tournament": int,
        "matches": int,
        "looked_at": int,
        "played": int,
        "model": str,
        "corrected": bool,
        "factor": float | None,
        "factor_low": float | None,
        "factor_high": float | None,
        "coefficient": float | None,
        "bots": Many(BOT_LUCK),
        "next": str,
    },
)


def serialize_luck(
    tournament: int,
    found: TournamentLuck,
    played: int,
    lines: Sequence[Standing],
    wins: Mapping[int, Sequence[LuckyWin]],
    following: str,
) -> dict[str, Any]:
    return TOURNAMENT_LUCK.tell(
        tournament=tournament,
        matches=found.matches,
        looked_at=found.looked_at,
        played=played,
        model=found.model,
        corrected=found.corrected,
        factor=found.saved.factor,
        factor_low=found.saved.low,
        factor_high=found.saved.high,
        coefficient=found.saved.coefficient,
        bots=[
            BOT_LUCK.tell(
                found.bots[line.player],
                bot=line.bot,
                version=line.version,
                wins=wins.get(line.player, []),
            )
            for line in lines
        ],
        next=following,
    )
