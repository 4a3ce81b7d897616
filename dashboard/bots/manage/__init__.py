"""One of the user's own bots: token, connection, versions, retirement."""
