"""What authors of bots need, from the arena they are to play in: package, contract, first bots."""
