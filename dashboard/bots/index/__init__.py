"""The list of bots and who of them is connected."""
