"""The queues from which workers take tasks."""

PLAY = "arena-play"
PROMPT = "arena-prompt"  # interactive: somebody is waiting for it
ADVANCE = "arena-advance"
QUEUES = (PLAY, PROMPT, ADVANCE)
