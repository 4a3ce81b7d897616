"""The page that switches a notice off, for whoever has the link in it."""
