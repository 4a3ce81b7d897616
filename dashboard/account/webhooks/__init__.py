"""The page of an account's webhooks."""
