"""The URL of a database."""

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from arena.base.errors import InvalidRequest


def parse_url(url: str) -> URL:
    """Returns the URL with the arena's driver. Raises InvalidRequest."""
    example = "A database URL looks like sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME."
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidRequest(f"The database URL is invalid. {example}") from None
    if "@" in (parsed.host or ""):
        # The rest of the password was taken for the host, and would be shown with it.
        raise InvalidRequest(
            "The database URL is invalid. Its password contains an @. Write it as %40."
        )
    kind = parsed.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if kind == "sqlite" and parsed.database and parsed.database != ":memory:":
        return parsed.set(drivername="sqlite+pysqlite")
    raise InvalidRequest(f"The database URL is not supported. Its type is {kind}. {example}")


def place(url: URL) -> str:
    """The location of a database for messages: without password and options, which may contain
    one, but with the servers of `host=`."""
    hosts = {name: value for name, value in url.query.items() if name == "host"}
    public = url.set(drivername=url.get_backend_name(), query=hosts)
    return public.render_as_string(hide_password=True)


def archive_folder(url: URL) -> Path:
    """The default folder of archives: next to the file of a SQLite database, else in .arena."""
    file = url.database if url.get_backend_name() == "sqlite" else None
    return (Path(file).parent if file else Path(".arena")) / "archive"
