"""The queues from which workers take tasks."""

PLAY = "arena-play"
PROMPT = "arena-prompt"  # what somebody sits and waits for
ADVANCE = "arena-advance"
QUEUES = (PLAY, PROMPT, ADVANCE)
