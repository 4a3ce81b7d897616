"""Alembic migrations, oldest first; the next one gets the next number and moves `HEAD`."""
