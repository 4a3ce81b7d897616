"""Backups: the contents of a database in one file, for SQLite and PostgreSQL.

format    the file format: writing, reading and checking, for the tables of each version
database  database to file, from one snapshot, and file to an empty database, in one transaction
"""
