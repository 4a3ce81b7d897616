"""The e-mail address of an account, and what is sent there."""
