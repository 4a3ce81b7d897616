"""E-mail: sends the queue in the database (`arena.store.registry.mail`).

delivery  sending by SMTP
messages  the texts of all e-mails
sending   a thread that sends due e-mails and retries failed ones
lookout   a thread that detects offline bots
tokens    the signed tokens in links
"""
