"""The queues from which workers take tasks."""

PLAY = "arena-play"
PROMPT = "arena-prompt"  # interactive work
ADVANCE = "arena-advance"
LUCK = "arena-luck"  # luck of stored matches; low priority
REVIEW = "arena-review"  # reviews of matches; low priority
QUEUES = (PLAY, PROMPT, ADVANCE, REVIEW, LUCK)
