"""The value of each legal action, given the knowledge of the deciding seat."""

from arena.value.search.values import ActionValues, action_values

__all__ = ["ActionValues", "action_values"]
