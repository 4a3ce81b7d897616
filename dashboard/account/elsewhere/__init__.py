"""Signing in with GitHub or an OpenID provider."""
