"""Commands whose options are declared once: read without Click, they mean what Click reads."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkgit.audit import reports
from hkgit.cli.forms.clicking import build_command
from hkgit.cli.forms.form import CommandForm, read_words
from hkgit.cli.forms.shared import share_options
from hkgit.cli.review import formats
from hkgit.cli.start import PLAIN
from tests.support.properties import examples
from tests.support.repos import Repo
from tests.support.running import run

FORMS: dict[str, CommandForm] = {name: import_module(module).FORM for name, module in PLAIN.items()}
VALUES = ("", "1", "0", "7", "-1", "٣", "a.py", "a:b", "-", "--", "x y", "text", "json", "é")


def words_of(form: CommandForm) -> st.SearchStrategy[list[str]]:
    """Command lines of its flags, of values, and of what nobody declared."""
    written = [flag for option in form.options for flag in option.flags]
    flags = [word for flag in written for word in flag.split("/")]
    stray = [*(f"{flag}=1" for flag in flags), "-q", "--quiet", "--no-such", "--help", "-v"]
    return st.lists(st.sampled_from([*flags, *flags, *VALUES, *stray]), max_size=6)


def read_by_click(form: CommandForm, words: list[str]) -> dict[str, Any]:
    """The values that Click gives to the command."""
    seen: dict[str, Any] = {}
    command = share_options(build_command("it", form, lambda **values: seen.update(values)))
    command.main(words, standalone_mode=False)
    return seen


@pytest.mark.parametrize("name", FORMS)
@given(data=st.data())
@examples(150)
def test_plain_words_mean_what_click_reads(name: str, data: st.DataObject) -> None:
    form = FORMS[name]
    words = data.draw(words_of(form))
    values = read_words(form, words)
    if values is not None:
        del values["quiet"]
        assert values == read_by_click(form, words)


@pytest.mark.parametrize("name", FORMS)
def test_every_option_is_read_without_click(name: str) -> None:
    form = FORMS[name]
    plain = [each.metavar for each in form.arguments if not each.is_many]
    for option in form.options:
        is_rare = option.is_decimal or option.between or "/" in option.flags[0]
        if is_rare:  # Click reads it
            continue
        value = [] if option.is_flag else [option.choices[0] if option.choices else "7"]
        words = [*plain, option.flags[0], *value]
        values = read_words(form, words)
        assert values is not None
        del values["quiet"]
        assert values == read_by_click(form, words)


def test_what_is_rare_is_left_to_click(repo: Repo) -> None:
    repo.commit({"a.py": "x = 1\n"})
    plain = run("read", "a.py", cwd=repo.path)
    assert plain == run("read", "--limit=9", "--", "a.py", cwd=repo.path)
    assert plain == run("-C", ".", "read", "a.py", cwd=repo.path)
    wrong = run("read", "a.py", "--before", "1", cwd=repo.path)
    assert wrong.code == 64
    assert "give --session too" in wrong.err
    assert "Try 'hkgit read" in wrong.err


@pytest.mark.parametrize("words", [["read", "none.py"], ["read", "none.py", "--json"]])
def test_a_refusal_says_the_same_both_ways(repo: Repo, words: list[str]) -> None:
    plain = run(*words, cwd=repo.path)
    assert plain.code == 4
    assert plain == run("-C", ".", *words, cwd=repo.path)


def test_the_formats_of_reports_are_those_that_there_are() -> None:
    assert formats.FORMATS == reports.FORMATS


def test_click_knows_each_form_by_its_name() -> None:
    for name, form in FORMS.items():
        command = build_command(name, form, lambda **values: None)
        assert isinstance(command, click.Command)
        declared = [each.name for each in form.arguments] + [each.name for each in form.options]
        assert [each.name for each in command.params] == declared
