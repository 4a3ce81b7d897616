"""The public pages of authors, which they can turn on."""
