"""Write the tables of settings in docs/configuration.md.

    python docs/generators/settings_table.py

There is a table for each topic. Its rows come from the fields of `arena/base/config.py`.
"""

from __future__ import annotations

from pathlib import Path

from arena.base.config import Settings

PAGE = Path(__file__).parents[1] / "configuration.md"
BEGIN, END = "<!-- made from arena/base/config.py -->\n", "<!-- end -->\n"

# The first setting of each topic, in the order of the fields, and the topic's heading.
TOPICS = {
    "data": "Data and addresses",
    "admin_token": "Access",
    "tls_cert": "TLS",
    "github_id": "Sign-in with a provider",
    "public_url": "Public address and e-mail",
    "webhooks_per_account": "Webhooks",
    "grace_s": "Bots",
    "max_message": "Limits of clients",
    "submission_mb": "Uploads",
    "host_processes": "Hosted bots",
    "reviews_kept": "Reviews",
    "workers": "Workers",
    "log_level": "Logs and traces",
}
HEAD = "| variable | default | meaning |\n|---|---|---|\n"


def row(name: str) -> str:
    """Return the row of a setting: its variable, its default and its description."""
    field = Settings.model_fields[name]
    default = "number of cores" if name == "workers" else field.default
    shown = f"`{default}`" if default not in ("", None) else "not set"
    return f"| `ARENA_{name.upper()}` | {shown} | {field.description} |\n"


def tables() -> str:
    """Return all tables under their headings."""
    text = ""
    for name in Settings.model_fields:
        if name in TOPICS:
            text += f"\n## {TOPICS[name]}\n\n{HEAD}"
        text += row(name)
    return f"{text}\n"


def page(text: str) -> str:
    """Return the page with its tables replaced."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{tables()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
