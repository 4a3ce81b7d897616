"""docs/configuration.md lists the settings by topic."""

from arena.base.config import Settings
from tests.docs.generators import generator

settings_table = generator("settings_table")


def test_the_tables_have_every_setting_with_its_default() -> None:
    text = settings_table.PAGE.read_text()
    assert text.count("\n| `ARENA_") == len(Settings.model_fields)
    assert text == settings_table.page(text), "run: make docs"


def test_every_topic_begins_at_a_setting() -> None:
    topics = [name for name in Settings.model_fields if name in settings_table.TOPICS]
    assert topics == list(settings_table.TOPICS)
    assert topics[0] == next(iter(Settings.model_fields))


def test_every_setting_is_described() -> None:
    meanings = settings_table.meanings()
    assert list(meanings) == list(Settings.model_fields)
    assert all(meanings.values())
