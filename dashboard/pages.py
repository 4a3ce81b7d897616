"""The pages, in the order of /api: adding one means a folder and a line here."""

from dashboard.account.elsewhere.view import page as elsewhere
from dashboard.account.email.view import page as email
from dashboard.account.leaving.view import page as leaving
from dashboard.account.reset.view import page as reset
from dashboard.account.unsubscribe.view import page as unsubscribe
from dashboard.account.view import page as account
from dashboard.account.webhooks.view import page as webhooks
from dashboard.api.view import page as api
from dashboard.authors.view import page as author
from dashboard.bots.describe.view import page as describe
from dashboard.bots.index.view import page as bots
from dashboard.bots.manage.view import page as mybot
from dashboard.bots.mine.view import page as mine
from dashboard.bots.profile.results import page as bot
from dashboard.bots.reviews.view import page as bot_reviews
from dashboard.bots.runs.detail.view import page as run
from dashboard.bots.runs.index.view import page as runs
from dashboard.bots.submissions.detail.view import page as submission
from dashboard.bots.submissions.editor.view import page as editor
from dashboard.bots.submissions.index.view import page as submissions
from dashboard.bots.trial.view import page as trial
from dashboard.docs.view import page as docs
from dashboard.embed.view import page as embed
from dashboard.events.view import page as events
from dashboard.feeds.view import page as feeds
from dashboard.matches.detail.view import page as match
from dashboard.matches.index.view import page as matches
from dashboard.matches.replay.review.view import page as review
from dashboard.matches.replay.view import page as replay
from dashboard.outage.view import page as outage
from dashboard.overview.view import page as overview
from dashboard.pictures.view import page as pictures
from dashboard.play.daily.view import page as daily
from dashboard.play.friends.view import page as friends
from dashboard.play.friends.watch import page as seen
from dashboard.play.people.view import page as people
from dashboard.play.puzzles.view import page as puzzles
from dashboard.play.view import page as play
from dashboard.ratings.help.view import page as help_
from dashboard.ratings.pairs.view import page as pairs
from dashboard.ratings.table.view import page as ratings
from dashboard.rules.view import page as rules
from dashboard.sdk.view import page as sdk
from dashboard.search.view import page as search
from dashboard.status.view import page as status
from dashboard.system.health.view import page as health
from dashboard.theme.view import page as theme
from dashboard.tournaments.calendar.view import page as calendar
from dashboard.tournaments.create.view import page as new_tournament
from dashboard.tournaments.detail.view import page as tournament
from dashboard.tournaments.discussion.view import page as discussion
from dashboard.tournaments.index.view import page as tournaments
from dashboard.tournaments.invitations.view import page as invitations
from dashboard.tournaments.lifecycle.view import page as conduct
from dashboard.tournaments.race.view import page as race
from dashboard.tournaments.series.view import page as series
from dashboard.watch.view import page as watch

PAGES = (
    overview,
    account,
    elsewhere,
    email,
    reset,
    unsubscribe,
    webhooks,
    invitations,
    leaving,
    mine,
    mybot,
    describe,
    trial,
    submissions,
    submission,
    editor,
    runs,
    run,
    ratings,
    pairs,
    tournaments,
    discussion,
    series,
    calendar,
    new_tournament,
    tournament,
    race,
    watch,
    conduct,
    matches,
    match,
    replay,
    review,
    bots,
    bot,
    bot_reviews,
    author,
    play,
    daily,
    friends,
    seen,
    people,
    puzzles,
    rules,
    sdk,
    docs,
    help_,
    search,
    api,
    events,
    feeds,
    embed,
    pictures,
    health,
    status,
    outage,
    theme,
)
