"""One of one's own bots: its token, how to connect it, its versions, its retirement."""
