"""Webhooks: sends the queue in the database (`arena.store.registry.webhooks`).

targets  allowed URLs and addresses      events   the JSON of messages
posting  one message, by HTTP            sending  threads that sign and send due messages
"""
