"""A new password for whoever forgot the old one, by a link that is sent to them."""
