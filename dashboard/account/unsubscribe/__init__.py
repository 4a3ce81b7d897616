"""The page behind the unsubscribe links in notifications."""
