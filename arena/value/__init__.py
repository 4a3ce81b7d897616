"""What states and actions are worth: learnt value functions, and what is made of them."""
