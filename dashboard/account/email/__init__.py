"""The e-mail address of an account and its notifications."""
