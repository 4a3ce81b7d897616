"""Every page is rendered once: it does not change while the process runs."""

from __future__ import annotations

from functools import lru_cache

from dashboard.docs.contents import ENTRIES
from dashboard.docs.files import leads_to, markdown
from dashboard.docs.markdown import Rendered, render


@lru_cache(maxsize=4 * len(ENTRIES))
def rendered(name: str, root: str) -> Rendered:
    """A page of ENTRIES, with links for a website whose addresses begin with `root`."""
    return render(markdown(name), lambda href: leads_to(href, name, root))
