"""E-mail, as far as the database has it: addresses, links that work once, what is to be sent.

addresses  whose address is confirmed, and what they want to be told
links      what the links in e-mails have in them, of which only a digest is stored
outbox     what is to be sent; the dashboard sends it (`dashboard/mail`)
"""
