"""The first page: what is running, who is connected, the table, the latest matches."""
