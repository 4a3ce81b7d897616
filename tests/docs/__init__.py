"""What README, docs and the contributors' pages show is run, or says why it cannot be."""
