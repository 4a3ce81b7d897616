"""One run: what became of a process, and what it wrote, by decision."""
