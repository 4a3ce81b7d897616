"""The home page: running tournaments, leaders, connected bots, latest matches."""
