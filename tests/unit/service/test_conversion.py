"""Tournaments as messages, by the descriptions of their fields."""

from dataclasses import fields, replace

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.messages import read_spec, spec
from arena.tournaments.formats import TournamentSpec
from arena.tournaments.formats.terms import TERMS

FULL = TournamentSpec(
    name="Cup", options={"max_rounds": "9"}, bots=("ada", "bob"), deals=3, repeats=7, salt="00",
    trusted=True, isolation="tournament", luck="raw", move_ms=1, start_grace_s=0, fault_limit=1,
)  # fmt: skip


def test_every_public_field_is_described_and_in_the_message() -> None:
    described = {term.attribute or term.name for term in TERMS}
    assert {each.name for each in fields(TournamentSpec)} - described == {"seed", "authors"}
    in_message = set(pb.TournamentSpec.DESCRIPTOR.fields_by_name)
    assert in_message - {term.name for term in TERMS} == {"starts_at", "sign_up", "recurrence"}


def test_a_spec_survives_the_message_but_its_schedule_stays_secret() -> None:
    assert read_spec(spec(replace(FULL, seed=99, authors=(1, 2)))) == FULL


def test_a_field_that_is_left_out_has_its_default_unless_it_is_required() -> None:
    assert read_spec(pb.TournamentSpec()) == replace(TournamentSpec(), game="", seats=0)
