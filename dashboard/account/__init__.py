"""People: signing up, in and out; who may do what.

    session   who is signed in, in this request       rights   decorators for views
    guard     CSRF, rate limits, cookies: what stands before every form

A view that changes something:

    @page.post("/tournaments")
    @organiser
    def create() -> ...: ...

and its form has `{{ forms.csrf() }}` of `layout/forms.html`. A test walks all routes: a new POST
route fails it until its right is written down there.
"""
