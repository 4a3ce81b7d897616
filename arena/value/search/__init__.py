"""What each legal action is worth, given what the deciding seat knows."""

from __future__ import annotations

from arena.value.search.values import ActionValues, action_values

__all__ = ["ActionValues", "action_values"]
