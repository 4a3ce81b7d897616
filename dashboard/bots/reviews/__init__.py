"""How a bot chose, by the reviews of its matches."""
