"""What a soak says grew: more than noise, between the last quarter and the one before."""

from dataclasses import replace

from tests.lab.bench.soak import Sample, growing
from tests.lab.bench.usage import Usage

MB = 1_000_000


def samples(count: int = 16) -> list[Sample]:
    return [
        Sample(
            matches=1000 * number,
            seconds=10.0 * number,
            # The first ones are small: caches fill.
            processes={
                "gateway": Usage(cpu_s=number, memory=min(20 * number, 80) * MB, files=20),
                "worker": Usage(cpu_s=number, memory=(90 + number % 3) * MB, files=31),
            },
            redis_keys=12 + number % 3,
            redis_memory=2 * MB,
            database=number * MB,
        )
        for number in range(1, count + 1)
    ]


def changed(sample: Sample, name: str, **values: int) -> Sample:
    return replace(
        sample, processes={**sample.processes, name: replace(sample.processes[name], **values)}
    )


def test_noise_warm_caches_and_the_database_do_not_grow() -> None:
    assert growing(samples()) == []


def test_what_grows_is_named_with_figures() -> None:
    leaking = [
        changed(each, "gateway", memory=(80 + 2 * number) * MB)
        for number, each in enumerate(samples())
    ]
    assert growing(leaking) == ["The memory of gateway grew from 99,000,000 to 107,000,000 bytes."]
    opening = [changed(each, "worker", files=31 + number) for number, each in enumerate(samples())]
    assert growing(opening) == ["The open files of worker grew from 40 to 44."]
    kept = [replace(each, redis_keys=10 * n) for n, each in enumerate(samples())]
    assert growing(kept) == ["The keys in Redis grew from 95 to 135."]
    filling = [replace(each, redis_memory=n * MB) for n, each in enumerate(samples())]
    assert growing(filling) == ["The memory of Redis grew from 9,500,000 to 13,500,000 bytes."]


def test_what_grows_slowly_grows() -> None:
    """A gateway that lost 400 bytes with each of its echoes, over a million matches."""
    megabytes = [108, 108, 109, 109, 110, 111, 112, 113, 113, 114]
    megabytes += [115, 115, 116, 117, 118, 119, 120, 120, 122, 122]
    leaking = [
        changed(each, "gateway", memory=memory * MB)
        for each, memory in zip(samples(20), megabytes, strict=True)
    ]

    assert growing(leaking) == ["The memory of gateway grew from 116,000,000 to 120,000,000 bytes."]


def test_of_a_few_samples_nothing_can_be_said() -> None:
    assert growing([replace(each, redis_keys=n**3) for n, each in enumerate(samples(7))]) == []
