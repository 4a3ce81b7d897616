"""E-mail, as far as the database is concerned.

addresses  confirmed addresses of accounts, and the notifications they want
links      one-time links in e-mails, stored as digests
outbox     e-mails to be sent; the dashboard sends them (`dashboard/mail`)
absences   bots that should play and are not connected
"""
