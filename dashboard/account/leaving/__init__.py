"""Exporting an account's data, and deleting the account."""
