"""The processes of one machine: they are started, supervised and examined."""
