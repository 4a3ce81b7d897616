"""What is wrong by itself, and what only follows from it."""

from arena.service.health.finding import consequences, fine, wrong

DATABASE = wrong("database", "The database does not answer.", "Start it.")
BEAT = wrong("beat", "Tournaments are not advanced.", "Start it.", depends=("database",))
HOSTS = wrong("hosts", "No host is running.", "Start one.", depends=("beat",))


def test_dependent_problem_is_a_consequence() -> None:
    database, beat, hosts = consequences([DATABASE, BEAT, HOSTS])

    assert database == DATABASE
    assert (beat.state, beat.because, beat.advice) == ("unknown", "database", "")
    assert hosts.because == "database"  # the first cause


def test_without_a_cause_it_is_wrong_by_itself() -> None:
    assert list(consequences([fine("database", "It answers."), BEAT])) == [
        fine("database", "It answers."),
        BEAT,
    ]


def test_fine_finding_is_not_a_consequence() -> None:
    alive = fine("beat", "It is running.")

    assert list(consequences([DATABASE, alive])) == [DATABASE, alive]
