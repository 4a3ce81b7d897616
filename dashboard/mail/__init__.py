"""E-mail: what waits in the database (`arena.store.registry.mail`) is written and sent here.

delivery  a mail server, by SMTP       letters  what each kind of mail says
sending   a thread that sends what is due, again where that failed
lookout   a thread that sees which bots are gone
switches  the links that switch notices off, for which nobody need sign in
"""
