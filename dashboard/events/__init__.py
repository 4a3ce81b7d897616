"""Live fragments of pages: server-sent events report changes, and htmx fetches the new version.

A live fragment has a *topic* (`tournament-7`, `bots`) and a *mark*, the version of its data as a
short digest. `/events` streams the newest marks of the page's topics, and the page fetches
fragments with an outdated mark. This loses no change before the stream starts or while it is
interrupted, works across several dashboards, and fetches nothing needlessly.
"""
