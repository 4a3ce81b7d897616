"""Bots that try to get out of their jail, and what is to become of them.

`python -m tests.attacks KIND` plays them all in one kind of jail, as whoever calls it, and prints
what became of each as JSON, for tests/integration/hosting/test_jail.py; `KIND contained` leaves out
those that the host ends, in any jail. `tests.attacks.building`
does the same with uploads that are made to harm whoever builds them.
"""
