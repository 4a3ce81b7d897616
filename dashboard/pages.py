"""The pages, in the order of /api: adding one means a folder and a line here."""

from __future__ import annotations

from dashboard.account.view import page as account
from dashboard.api.view import page as api
from dashboard.bot.results import page as bot
from dashboard.bots.view import page as bots
from dashboard.conduct.view import page as conduct
from dashboard.events.view import page as events
from dashboard.health.view import page as health
from dashboard.help.view import page as help_
from dashboard.match.view import page as match
from dashboard.matches.view import page as matches
from dashboard.mine.view import page as mine
from dashboard.mybot.view import page as mybot
from dashboard.new_tournament.view import page as new_tournament
from dashboard.overview.view import page as overview
from dashboard.pairs.view import page as pairs
from dashboard.play.view import page as play
from dashboard.race.view import page as race
from dashboard.ratings.view import page as ratings
from dashboard.replay.view import page as replay
from dashboard.rules.view import page as rules
from dashboard.tournament.view import page as tournament
from dashboard.tournaments.view import page as tournaments
from dashboard.trial.view import page as trial

PAGES = (
    overview,
    account,
    mine,
    mybot,
    trial,
    ratings,
    pairs,
    tournaments,
    new_tournament,
    tournament,
    race,
    conduct,
    matches,
    match,
    replay,
    bots,
    bot,
    play,
    rules,
    help_,
    api,
    events,
    health,
)
