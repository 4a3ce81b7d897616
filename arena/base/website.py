"""The address of the arena's website, for authors' machines.

`ARENA_URL` names a gateway. Pages, documentation and packages are on the website, at another
address.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from arena import __version__
from arena.base.errors import Unavailable

if TYPE_CHECKING:
    from arena.base.folder import Running

DEFAULT = "http://127.0.0.1:7421"
DISTRIBUTION = "lama-arena"
WHEEL = f"lama_arena-{__version__}-py3-none-any.whl"


def address() -> str:
    """The website's address without a slash at the end.

    The first of: `ARENA_DASHBOARD`, the arena running in the data folder, the arena that this
    package was installed from, the default for an arena on this machine.
    """
    named = os.environ.get("ARENA_DASHBOARD", "").strip()
    if not named and (here := running()):
        named = here.dashboard
    return (named or _installed_from() or DEFAULT).rstrip("/")


def docs(page: str = "") -> str:
    """The address of a documentation page, such as `testing#play-matches`."""
    return f"{address()}/docs/{page}"


def install(extra: str = "", site: str = "") -> str:
    """The command that installs this package, with an extra, from the website `site` (by default
    `address()`)."""
    wheel = f"{site.rstrip('/') or address()}/sdk/{WHEEL}"
    return f'pip install "{DISTRIBUTION}[{extra}] @ {wheel}"' if extra else f"pip install {wheel}"


def running() -> Running | None:
    """The arena that runs in the data folder, if any."""
    try:
        from arena.base import folder

        return folder.find_running(folder.usual())
    except (ImportError, Unavailable, OSError):  # Windows has no fcntl, and no arena runs there
        return None


def _installed_from() -> str | None:
    """The arena in pip's record of the installation (PEP 610), whose URL is HOST/sdk/WHEEL."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import

    try:
        recorded = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    url = str(json.loads(recorded or "{}").get("url", ""))
    site, found, _ = url.rpartition("/sdk/")
    return site if found and site.startswith(("http://", "https://")) else None
