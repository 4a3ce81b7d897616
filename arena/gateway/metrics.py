"""Counters of one gateway process, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

REGISTRY = CollectorRegistry()

DECISIONS = Counter("arena_decisions_sent", "Decisions sent to bots", registry=REGISTRY)
REPLIES = Counter("arena_replies", "What became of decisions", ["outcome"], registry=REGISTRY)
PROBLEMS = Counter("arena_problems", "Choices refused", ["code"], registry=REGISTRY)
SESSIONS = Gauge("arena_sessions", "Open bot sessions", registry=REGISTRY)
IN_FLIGHT = Gauge("arena_decisions_in_flight", "Decisions not yet answered", registry=REGISTRY)
