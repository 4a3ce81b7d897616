"""Accounts and their sessions, bots with their versions and tokens, guests, submissions, and the
runs of hosted bots."""
