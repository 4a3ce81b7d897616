"""The list of a hosted bot's runs, with curves of CPU time and memory."""
