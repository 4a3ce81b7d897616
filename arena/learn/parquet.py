"""Writes self-play decisions to a Parquet file. docs/learning.md describes the schema."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from arena import __version__
from arena.base.errors import InvalidRequest
from arena.base.extras import missing
from arena.games.batch import batch_class
from arena.learn.selfplay import Rows

try:
    import pyarrow as pa
    from pyarrow import parquet
except ModuleNotFoundError as error:
    raise missing("arena.learn.parquet", error) from error

FORMAT = "lama-arena/selfplay/1"
SEED = bytes(16)


class DecisionFile:
    """A Parquet file being written; use it as a context manager. It gets its final name when
    complete, and is deleted after an error."""

    def __init__(
        self,
        path: Path,
        game: str,
        seats: int,
        options: Mapping[str, str],
        bots: Sequence[str],
        about: Mapping[str, object],
    ) -> None:
        """`bots` are the names for the numbers in the rows. `about` is added to the file's
        metadata. Raises InvalidRequest if the file cannot be written."""
        columns = batch_class(game)(1, seats, SEED, options).columns
        notation = batch_class(game).rules.notation
        self._game, self._bots = game, list(bots)
        self._schema = schema(len(columns), len(notation)).with_metadata(
            {
                FORMAT: json.dumps(
                    {
                        "arena": __version__,
                        "game": game,
                        "seats": seats,
                        "options": dict(options),
                        "observation": columns,
                        "actions": notation,
                        **about,
                    }
                )
            }
        )
        self._path, self._part = path, path.with_name(f"{path.name}.part")
        try:
            self._writer = parquet.ParquetWriter(self._part, self._schema, compression="zstd")
        except OSError as error:
            raise InvalidRequest(f"{path} cannot be written: {error.strerror}.") from None

    def __enter__(self) -> DecisionFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()
        if error is None:
            os.replace(self._part, self._path)
        else:
            self._part.unlink()

    def write(self, rows: Rows) -> None:
        """Appends decisions as a row group."""
        self._writer.write_table(pa.table([*self._columns(rows)], schema=self._schema))

    def _columns(self, rows: Rows) -> Any:
        for each in self._schema:
            if each.name == "game":
                zeros = pa.array([0] * len(rows.match), pa.int8())
                yield pa.DictionaryArray.from_arrays(zeros, pa.array([self._game]))
            elif each.name == "bot":
                numbers = pa.array(rows.bot, pa.int8())
                yield pa.DictionaryArray.from_arrays(numbers, pa.array(self._bots))
            elif pa.types.is_fixed_size_list(each.type):
                flat = pa.array(getattr(rows, each.name).reshape(-1), each.type.value_type)
                yield pa.FixedSizeListArray.from_arrays(flat, type=each.type)
            else:
                yield pa.array(getattr(rows, each.name), each.type)


def schema(columns: int, actions: int) -> Any:
    """Returns the schema for observations of `columns` columns and a game of `actions` actions."""
    name = pa.dictionary(pa.int8(), pa.string())
    item = [pa.field("element", kind, nullable=False) for kind in (pa.int16(), pa.bool_())]
    kinds = {
        "match": pa.int32(),
        "number": pa.int32(),
        "seat": pa.int8(),
        "bot": name,
        "game": name,
        "observation": pa.list_(item[0], columns),
        "legal": pa.list_(item[1], actions),
        "action": pa.int16(),
        "points": pa.int16(),
        "rank": pa.int8(),
    }
    return pa.schema([pa.field(each, kind, nullable=False) for each, kind in kinds.items()])
