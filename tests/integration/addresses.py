"""What the variable parts of the dashboard's addresses may be."""

from __future__ import annotations

from dashboard.sdk.wheel import PROJECT, authors_wheel

OF_THE_SDK = {
    "language": "python",
    "project": PROJECT,
    "proto": "play",
    "wheel": authors_wheel().name.removesuffix(".whl"),
}
