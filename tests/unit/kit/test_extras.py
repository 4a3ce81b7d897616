"""A missing optional package is one sentence, with a command that installs it."""

import pytest

from arena.base import extras, website
from arena.kit import main


def test_every_extra_has_its_own_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)

    for module, extra in (*extras.EXTRAS.items(), ("flask", "server"), ("numpy.random", "numpy")):
        with pytest.raises(extras.MissingExtra) as error:
            extras.require("`arena analyse`", module)
        assert str(error.value) == (
            f"`arena analyse` needs the extra '{extra}' of lama-arena."
            f" Install it with: {website.install(extra)}"
        )


def test_an_import_that_fails_in_a_command_is_the_same_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["arena", "analyse", "--bot", "mybot"])

    def command() -> int:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    with pytest.raises(SystemExit, match="2"):
        main.leave(command)
    assert capsys.readouterr().err.startswith("Error: `arena analyse` needs the extra 'numpy' ")


def test_a_module_of_ours_that_is_missing_is_a_bug_and_not_an_extra() -> None:
    with pytest.raises(ModuleNotFoundError, match="arena.nowhere"):
        extras.missing("This", ModuleNotFoundError("arena.nowhere", name="arena.nowhere"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["tournament", "list"], "`arena tournament` needs the extra 'server'"),
        (["bot", "add", "x"], "`arena bot add` needs the extra 'server'"),
        (["tournamnt"], "There is no command `arena tournamnt`."),
    ],
)
def test_without_the_server_its_commands_say_what_they_need(
    words: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(extras, "has_server", lambda: False)
    monkeypatch.setattr("sys.argv", ["arena", *words])

    with pytest.raises(SystemExit, match="2"):
        main.main()
    assert capsys.readouterr().err.startswith(f"Error: {says}")


@pytest.mark.parametrize("words", [["--help"], [], ["bot"], ["bot", "--help"]])
def test_without_the_server_help_lists_the_authors_commands(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extras, "has_server", lambda: False)
    monkeypatch.setattr("sys.argv", ["arena", *words])

    with pytest.raises(SystemExit, match="0"):
        main.main()
    assert "bot connect " in capsys.readouterr().out
