"""Live parts of pages: server-sent events say that something changed, htmx fetches it anew.

A live part carries the name of a *topic* (`tournament-7`, `bots`) and the *mark* of what it shows:
a short digest that is another one as soon as there is something new. `/events` streams the newest
marks of the topics a page is about, and the page fetches the parts whose mark is an old one. So
nothing is lost between the page and its stream, nor while a stream was cut, whichever of several
dashboards answers; and no page is fetched for nothing.
"""
