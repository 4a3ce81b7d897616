"""Bots that try to break out of their sandbox, and the expected outcomes.

`python -m tests.attacks KIND` plays them all in one kind of sandbox, as the calling user, and
prints the outcome of each as JSON, for tests/integration/hosting/test_sandbox.py; `KIND contained`
leaves out those that the host ends, in any sandbox. `tests.attacks.building` does the same with
uploads that are made to harm the builder.
"""
