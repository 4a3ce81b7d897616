"""Accounts: sign-up, sign-in and permissions.

    session   the account of the current request       rights   decorators for views
    guard     CSRF protection and rate limits of all forms

A view that changes something:

    @page.post("/tournaments")
    @organiser
    def create() -> ...: ...

Its form needs `{{ forms.csrf() }}` of `layout/forms.html`. A test lists the required permission of
every POST route, and fails for new routes that are not in its list.
"""
