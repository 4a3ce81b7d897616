"""Webhooks: what waits in the database (`arena.store.registry.webhooks`) is sent here.

targets   which URLs and addresses may be reached        signing  the signature of a message
events    what messages say, in JSON                     posting  one message, by HTTP
sending   threads that send what is due, again where that failed
"""
