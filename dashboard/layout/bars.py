"""Shares as bars, in SVG."""

from __future__ import annotations

from markupsafe import Markup


def share_bar(share: float) -> Markup:
    """Return a share, from 0 to 1, as a short bar with a mark in the middle."""
    return Markup(  # noqa: S704
        '<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="share-all" width="100" height="8"/>'
        f'<rect width="{100 * share:.1f}" height="8"/>'
        '<rect class="share-half" x="49.5" width="1" height="8"/></svg>'
    )
