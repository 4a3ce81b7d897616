"""E-mail: sends the queue in the database (`arena.store.registry.mail`).

delivery  sending by SMTP
messages  the texts of all e-mails
sending   threads that send due e-mails, retry failed ones, and detect offline bots
"""
