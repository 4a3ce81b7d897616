"""The queues from which workers take tasks."""

PLAY = "arena-play"
PROMPT = "arena-prompt"  # interactive: somebody is waiting for it
ADVANCE = "arena-advance"
LUCK = "arena-luck"  # what chance gave in matches that are stored: nobody waits for it
REVIEW = "arena-review"  # reviews of matches: nothing else waits for them
QUEUES = (PLAY, PROMPT, ADVANCE, REVIEW, LUCK)
