"""What is to be played, and how far it is."""
