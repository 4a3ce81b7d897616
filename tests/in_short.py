"""Makes tests faster: shares compiled templates, SQL statements and URL rules between
applications and databases, and simplifies password hashes and tracebacks."""

from collections.abc import Callable, Iterator, MutableMapping
from functools import cache, partial
from types import CodeType
from typing import Any

import structlog
from argon2 import PasswordHasher
from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from sqlalchemy import create_engine
from sqlalchemy.util import LRUCache
from structlog.dev import ConsoleRenderer, plain_traceback
from werkzeug.routing import Rule

from arena.store import engine
from arena.store.registry import passwords

STATEMENTS = 3000  # compiled statements kept


def install() -> None:
    """Call before the first application or database is made."""
    Flask.jinja_options = {"bytecode_cache": Templates()}
    Rule.compile = _compile_once  # type: ignore[assignment, method-assign]
    Rule._compile_builder = _compile_builder_when_needed  # type: ignore[assignment, method-assign]
    options = {"compiled_cache": Statements()}
    engine.create_engine = partial(create_engine, execution_options=options)  # type: ignore[attr-defined]
    # Password hashes are slow on purpose.
    passwords.HASHER = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    # Tracebacks with colours and variables take longer than most tests.
    plain = ConsoleRenderer(colors=False, exception_formatter=plain_traceback)
    structlog.configure([*structlog.get_config()["processors"][:-1], plain])


class Templates(BytecodeCache):
    """Compiled templates of all applications."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        assert bucket.code is not None
        self._kept[bucket.key, bucket.checksum] = bucket.code


class Statements(MutableMapping[Any, Any]):
    """Compiled statements, shared by all databases of a kind. SQLAlchemy's keys start with the
    dialect, which is a separate object for each database."""

    def __init__(self) -> None:
        self._kept: LRUCache[Any, Any] = LRUCache(STATEMENTS)

    def __getitem__(self, key: Any) -> Any:
        return self._kept[key[0].name, *key[1:]]

    def __setitem__(self, key: Any, compiled: Any) -> None:
        self._kept[key[0].name, *key[1:]] = compiled

    def __delitem__(self, key: Any) -> None:
        del self._kept[key[0].name, *key[1:]]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)


_compile = Rule.compile
_compiled: dict[tuple[Any, ...], dict[str, Any]] = {}


def _compile_once(rule: Rule) -> None:
    """Compiles a URL rule that several applications have only for the first one."""
    converters = tuple(rule.map.converters.items())
    place = (rule.subdomain, rule.host, rule.merge_slashes)
    key = (rule.rule, repr(rule.defaults), place, converters)
    if key not in _compiled:
        _compile(rule)
        names = ("_parts", "_trace", "_converters", "_build", "_build_unknown", "arguments")
        _compiled[key] = {name: getattr(rule, name) for name in names}
    vars(rule).update(_compiled[key])


_compile_builder = Rule._compile_builder


def _compile_builder_when_needed(
    rule: Rule, append_unknown: bool = True
) -> Callable[..., tuple[str, str]]:
    """Compiles URL builders on first use, because a test needs only a few."""

    @cache
    def compiled() -> Callable[..., tuple[str, str]]:
        return _compile_builder(rule, append_unknown)

    return lambda self, /, **values: compiled()(self, **values)
