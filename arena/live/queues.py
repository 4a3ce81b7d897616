"""The queues from which workers take tasks."""

PLAY = "arena-play"
PROMPT = "arena-prompt"  # interactive: somebody is waiting for it
ADVANCE = "arena-advance"
REVIEW = "arena-review"  # reviews of matches: nothing else waits for them
QUEUES = (PLAY, PROMPT, ADVANCE, REVIEW)
