"""What a gateway counts of its messages."""

from arena.service.gateway import metrics


def test_a_gateway_counts_messages_and_their_bytes() -> None:
    names = ("arena_messages_total", "arena_message_bytes_total")

    def counted() -> list[float]:
        values = [metrics.REGISTRY.get_sample_value(name, {"way": "to_bot"}) for name in names]
        return [value or 0.0 for value in values]

    before = counted()
    metrics.count_message("to_bot", 500)
    metrics.count_message("to_bot", 20)
    assert [now - was for now, was in zip(counted(), before, strict=True)] == [2, 520]
