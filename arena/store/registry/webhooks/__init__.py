"""Webhooks, as far as the database has them.

hooks       where people want to be told of events, and which
deliveries  what is to be sent there; the dashboard sends it (`dashboard/webhooks`)
"""
