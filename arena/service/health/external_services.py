"""Settings of services outside of the arena: a mail server and sign-in providers.

Dashboards do not start with incomplete ones, and `arena doctor` reports them.
"""

from email.utils import parseaddr
from urllib.parse import SplitResult, urlsplit

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.base.text import together
from arena.store.registry.mail.addresses import check_address


def smtp_address(settings: Settings) -> SplitResult | None:
    """Return the address of the mail server, or None. Raises InvalidRequest."""
    if not settings.smtp_url:
        return None
    _require(settings, "smtp_url", "mail_from", "public_url")
    try:
        check_address(parseaddr(settings.mail_from)[1])
    except InvalidRequest:
        raise InvalidRequest(
            f"ARENA_MAIL_FROM is not an e-mail address: {settings.mail_from}."
        ) from None
    parts = urlsplit(settings.smtp_url)
    try:
        there = bool(parts.hostname) and parts.port != 0
    except ValueError:  # the port is not a number
        there = False
    if not there:
        raise InvalidRequest("ARENA_SMTP_URL is not a mail server's address: smtp://HOST:587.")
    return parts


def sign_in_providers(settings: Settings) -> tuple[str, ...]:
    """Return the configured providers: "github", "openid". Raises InvalidRequest."""
    found: tuple[str, ...] = ()
    if settings.github_id or settings.github_secret:
        _require(settings, "github_id", "github_secret", "public_url")
        found += ("github",)
    if settings.oidc_issuer or settings.oidc_id or settings.oidc_secret:
        _require(settings, "oidc_issuer", "oidc_id", "oidc_secret", "public_url")
        found += ("openid",)
    return found


def _require(settings: Settings, *names: str) -> None:
    """Raise InvalidRequest if one of these settings, which need each other, is missing."""
    given = [f"ARENA_{name.upper()}" for name in names if getattr(settings, name)]
    missing = [f"ARENA_{name.upper()}" for name in names if not getattr(settings, name)]
    if missing:
        verb = "are" if len(given) > 1 else "is"
        raise InvalidRequest(f"{together(given)} {verb} set, but not {together(missing, 'or')}.")
