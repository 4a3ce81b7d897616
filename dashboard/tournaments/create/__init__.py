"""The form for a new tournament, with what it would be before it is made."""
