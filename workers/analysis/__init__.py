"""What is calculated of finished matches: luck and reviews."""
