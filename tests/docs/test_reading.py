"""Parsing of pages: no block escapes its test by mistake."""

from pathlib import Path

import pytest

from tests.docs import commands
from tests.docs.blocks import ROOT, blocks
from tests.docs.shell import lines
from tests.docs.test_blocks import alike, paths, without_gaps

PAGE = ROOT / "README.md"


def test_fence_gives_language_and_line() -> None:
    (block,) = blocks(PAGE, "# Page\n\n```sh\narena up\n```\n")

    assert (str(block), block.language, block.text) == ("README.md:4", "sh", "arena up\n")
    assert block.runs


@pytest.mark.parametrize(
    "text", ["```\narena up\n```\n", "```yaml\na: 1\n```\n", "Text\n\n    a drawing\n"]
)
def test_block_without_a_language_is_not_run(text: str) -> None:
    (block,) = blocks(PAGE, text)

    assert not block.runs
    assert not block.mark


def test_mark_applies_to_the_next_block_only() -> None:
    page = "<!-- not run: it\ntakes long -->\n```sh\na\n```\n\n```sh\nb\n```\n"

    first, second = blocks(PAGE, page)

    assert (first.mark, first.said, first.runs) == ("not run", "it takes long", False)
    assert (second.mark, second.runs) == ("", True)


def test_file_block_is_run_and_written(tmp_path: Path) -> None:
    (block,) = blocks(PAGE, "<!-- file: one.py -->\n```python\nONE = 1\n```\n")

    block.save(tmp_path)

    assert (block.mark, block.said, block.runs) == ("file", "one.py", True)
    assert (tmp_path / "one.py").read_text() == "ONE = 1\n"


def test_mark_is_found_in_a_list() -> None:
    (block,) = blocks(
        PAGE, "1. Text:\n\n    <!-- not run: slow -->\n    ```sh\n    make\n    ```\n"
    )

    assert (block.language, block.mark, block.text) == ("sh", "not run", "make\n")


def test_indented_commands_are_recognised() -> None:
    (block,) = blocks(
        PAGE, "Text\n\n<!-- not run: slow -->\n\n    python -m tests.lab bench engine\n"
    )

    assert (block.language, block.mark) == ("sh", "not run")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("arena up", ""),
        ("ls", ""),
        (
            "arena tournament export ID [--what standings|crosstable|matches|faults|verdict|audit]",
            "",
        ),
        ("arena tournament export ID --what standings|other", "--what is one of"),
        ("arena tournament exports 1", "no command exports"),
        ("arena bot add ada --colour red", "add has no option --colour"),
        ("arena bot add", "Missing argument"),
        ("python -m tests.lab bench engine --seats many", "'many' is not"),
        ("make demo ARGS=--seed", ""),
        ("make demos", "no target demos"),
    ],
)
def test_unknown_commands_are_reported(line: str, problem: str) -> None:
    found = commands.problems([line], whole=True)

    assert bool(found) == bool(problem)
    assert problem in "".join(found)


def test_arguments_may_be_missing_in_sentences() -> None:
    assert commands.problems(["arena bot add"], whole=False) == []
    assert commands.problems(["arena bot adds"], whole=False) != []


def test_lines_are_split_and_joined_for_typing() -> None:
    assert list(lines("# first\narena bot \\\n  list\n\nls  # all\n")) == [
        "arena bot    list",
        "ls  # all",
    ]


@pytest.mark.parametrize(
    ("printed", "shown", "same"),
    [
        ("a   b\nc\n", "a b c", True),
        ("took 12 s\n", "took ... s", True),
        ("took 12 s\n", "took 13 s", False),
        ("a b c", "a b", False),
    ],
)
def test_output_is_compared_word_by_word(printed: str, shown: str, same: bool) -> None:
    assert alike(printed, shown) is same


def test_gaps_of_a_shortened_record_are_skipped() -> None:
    text = '{"a": [1, ...],      the first\n "b": [...], "c": {"d": "..."}}   remark'

    assert without_gaps(text) == {"a": [1], "b": [], "c": {"d": "..."}}
    assert list(paths({"a": [{"b": 1}], "c": {"d": 2}})) == ["a", "a[].b", "c", "c.d"]
