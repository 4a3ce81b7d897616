"""Webhooks, as far as the database is concerned.

hooks       the URLs of users, and the events they want
deliveries  messages to be sent; the dashboard sends them (`dashboard/webhooks`)
"""
