"""Downloads for authors of bots: the package, the protocol files, and starter bots."""
