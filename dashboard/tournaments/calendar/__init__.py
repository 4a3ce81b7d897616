"""Scheduled tournaments for calendars."""
