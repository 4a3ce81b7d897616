"""Webhooks: sends the queue in the database (`arena.store.registry.webhooks`).

targets  allowed URLs and addresses
posting  one message, by HTTP
sending  threads that sign and send due messages, and the JSON of these
"""
