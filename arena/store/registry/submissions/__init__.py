"""Submissions: what authors uploaded to have a bot hosted, and what became of it.

    waiting -> building -> validating -> accepted, a version of the bot now
       │          └────────────┴───────> refused, with a reason
       └─> withdrawn, by a newer upload

model      a submission as it is read: one, those of a bot
uploads    submitting one; going back to an earlier one
building   what hosts do with them: claim by lease, note, accept, refuse, give back
pruning    what is not kept for ever
supplied   programs of the arena's own
played     what hosts need of accepted ones: the tree with all that belongs to it; the source
"""

from arena.store.registry.submissions.building import (
    accept,
    claim,
    give_back,
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
