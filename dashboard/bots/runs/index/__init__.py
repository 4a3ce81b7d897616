"""The list of a hosted bot's runs, with charts of CPU time and memory."""
