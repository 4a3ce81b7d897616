"""Webhooks: sends the queue in the database (`arena.store.registry.webhooks`).

targets   allowed URLs and addresses           signing  the signature of a message
events    the JSON of messages                 posting  one message, by HTTP
sending   threads that send due messages and retry failed ones
"""
