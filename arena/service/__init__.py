"""The processes of an arena: gateway, control, hosts, and what they share in Redis."""
