"""Write the tables of settings in docs/configuration.md.

    python docs/generators/settings_table.py

There is a table for each topic. Its rows come from the fields of `arena/base/config.py`.
"""

import ast
from functools import cache
from itertools import pairwise
from pathlib import Path

from arena.base import config
from arena.base.config import Settings

SOURCE = Path(config.__file__)
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
    """Return the row of a setting: its variable, its default and its meaning."""
    field = Settings.model_fields[name]
    default = "number of cores" if name == "workers" else field.default
    shown = f"`{default}`" if default not in ("", None) else "not set"
    return f"| `ARENA_{name.upper()}` | {shown} | {meanings()[name]} |\n"


@cache
def meanings() -> dict[str, str]:
    """Return the text below each field in the source of the settings."""
    (settings,) = (
        each for each in ast.parse(SOURCE.read_text()).body if isinstance(each, ast.ClassDef)
    )
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(settings.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


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
