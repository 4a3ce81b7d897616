"""Submissions: uploads of bots that the arena hosts, and their progress.

    waiting -> building -> validating -> accepted, a version of the bot now
       │          └────────────┴───────> refused, with a reason
       └─> withdrawn, by a newer upload

model      reading submissions
uploads    submitting, and going back to an earlier submission
building   the steps of a host: claim by lease, log, accept, refuse, give back
pruning    deleting files that are not kept forever
supplied   programs that come with the arena
played     accepted submissions, for hosts: the build artifact with its manifest; the source
"""

from arena.store.registry.submissions.building import (
    accept,
    claim,
    give_back,
    is_open,
    note,
    refuse,
    renew,
    validating,
)
from arena.store.registry.submissions.model import (
    LISTED,
    OVER,
    State,
    Submission,
    get,
    not_found,
    of_bot,
)
from arena.store.registry.submissions.played import Hosted, has_source, source, tree_of
from arena.store.registry.submissions.pruning import built_again, prune, to_build_again
from arena.store.registry.submissions.supplied import supply
from arena.store.registry.submissions.uploads import (
    SubmissionLimits,
    check,
    left_today,
    rollback,
    submit,
)

__all__ = [
    "LISTED",
    "OVER",
    "Hosted",
    "State",
    "Submission",
    "SubmissionLimits",
    "accept",
    "built_again",
    "check",
    "claim",
    "get",
    "give_back",
    "has_source",
    "is_open",
    "left_today",
    "not_found",
    "note",
    "of_bot",
    "prune",
    "refuse",
    "renew",
    "rollback",
    "source",
    "submit",
    "supply",
    "to_build_again",
    "tree_of",
    "validating",
]
