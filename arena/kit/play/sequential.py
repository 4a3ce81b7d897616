"""The sequential test of the format `versus`: is the new version better?"""

from collections.abc import Iterator
from itertools import islice

from arena.kit.play.session import Session
from arena.tournaments.formats import NOTHING, SoFar
from arena.tournaments.formats.versus_evidence import BASELINE, CANDIDATE, Known
from arena.tournaments.formats.versus_sentences import hypotheses
from arena.tournaments.ratings.sprt import elo_difference


class SequentialTest:
    """A test in progress."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._plan = session.plan
        self.format = session.plan.format
        self.so_far: SoFar = NOTHING
        self.matches = 0

    @property
    def known(self) -> Known:
        """The evidence so far."""
        return Known.read(self.so_far, self._plan.matches_per_deal)

    @property
    def progress(self) -> str:
        """The evidence for both hypotheses and their bounds, as text."""
        known, test = self.known, hypotheses(self._plan.spec)
        elo, error = elo_difference(known.evidence)
        return (
            f"better {known.better:+.2f} of {test.upper:.2f}, "
            f"not better {known.worse:+.2f} of {-test.lower:.2f}, Elo {elo:+.0f} ± {error:.0f}"
        )

    def play(self) -> None:
        """Play until the test is decided, the deals are used up, or Ctrl-C. Raises ArenaError."""
        spec, number = self._plan.spec, 0
        with self._session.playing(lambda: self.progress) as outcomes:
            while block := self.format.block(spec, number, self.so_far):
                played = [outcome.played for outcome in islice(outcomes, len(block))]
                self.so_far = self.format.fold(spec, self.so_far, played)
                self.matches += len(block)
                number += 1


def run(session: Session) -> int:
    """Play the test and print the result. Returns the exit status."""
    test = SequentialTest(session)
    test.play()
    return session.end(lambda: _as_json(session, test), _lines(session, test))


def _lines(session: Session, test: SequentialTest) -> Iterator[str]:
    spec, known = session.plan.spec, test.known
    hypothesis = hypotheses(spec)
    numbers, meaning = test.format.remarks(spec, test.so_far)
    elo, error = elo_difference(known.evidence)
    new, old = spec.bots[CANDIDATE], spec.bots[BASELINE]
    yield meaning
    yield f"Difference: {elo:+.1f} ± {error:.1f} Elo (95%), {new} against {old}."
    yield (
        f"Error rates: at most {100 * hypothesis.alpha:g}% of candidates {hypothesis.elo0:g} Elo "
        f"better pass this test, and at most {100 * hypothesis.beta:g}% of those "
        f"{hypothesis.elo1:g} Elo better fail."
    )
    yield numbers
    yield session.what_was_played(test.matches // session.plan.matches_per_deal, test.matches)
    yield from session.faults.lines(session.records)


def _as_json(session: Session, test: SequentialTest) -> dict[str, object]:
    spec, known = session.plan.spec, test.known
    verdict = test.format.verdict(spec, test.so_far)
    hypothesis = hypotheses(spec)
    elo, error = elo_difference(known.evidence)
    return {
        **session.about(test.matches // session.plan.matches_per_deal, test.matches),
        "candidate": spec.bots[CANDIDATE],
        "baseline": spec.bots[BASELINE],
        "state": known.state,
        "meaning": test.format.remarks(spec, test.so_far)[1],
        "elo": {"mean": elo, "plus_minus": error},
        "normalized_elo": verdict
        and {"mean": verdict.normalized_elo, "plus_minus": verdict.plus_minus},
        "score": known.evidence.mean,
        "test": {name: getattr(hypothesis, name) for name in ("elo0", "elo1", "alpha", "beta")},
        "evidence": {"better": known.better, "not_better": known.worse},
        "bounds": {"better": hypothesis.upper, "not_better": -hypothesis.lower},
    }
