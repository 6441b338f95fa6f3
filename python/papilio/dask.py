"""Transforms of dask's arrays, and one function over a folder of files, on dask's workers.

    fft_along  map_files  Mapped

`import papilio.dask` needs dask; `map_files` needs distributed and fsspec, and pyarrow where it writes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import os
import pathlib
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

import dask.array

from . import fft
from ._calls import integer, public

__all__ = ["Mapped", "fft_along", "map_files"]

Row: TypeAlias = dict[str, Any]

# Points of the result along the axis, of n points that the transform takes.
_LENGTHS: dict[str, Callable[[int], int]] = {
    "fft": lambda n: n,
    "ifft": lambda n: n,
    "rfft": lambda n: n // 2 + 1,
    "irfft": lambda n: n,
    "hfft": lambda n: n,
    "ihfft": lambda n: n // 2 + 1,
}


def _cut(length: int, most: int) -> tuple[int, ...]:
    """A length as nearly equal ones of at most `most`."""
    parts = max(1, -(-length // most))
    return tuple(length // parts + (i < length % parts) for i in range(parts))


def _whole_lines(x: Any, axis: int) -> Any:
    """x in chunks that are whole along the axis, none larger than its largest, unless a line is."""
    if len(x.chunks[axis]) == 1:
        return x
    if any(math.isnan(length) for axes in x.chunks for length in axes):
        raise ValueError(
            f"fft_along: axis {axis} is cut into chunks whose lengths must be known; "
            "x.compute_chunk_sizes() finds them"
        )
    longest = [max(lengths) for lengths in x.chunks]
    lines = max(1, math.prod(longest) // max(1, x.shape[axis]))  # of the largest chunk
    chunks = list(x.chunks)
    chunks[axis] = (x.shape[axis],)
    # Rows stay whole where they can: the last axes keep most. Each chunk is cut in itself.
    for i in reversed([i for i in range(x.ndim) if i != axis]):
        most = min(max(1, longest[i]), lines)
        lines //= most
        chunks[i] = tuple(part for length in x.chunks[i] for part in _cut(length, most))
    return x.rechunk(tuple(chunks))


def fft_along(x: Any, axis: int = -1, *, kind: str = "fft", n: int | None = None,
              norm: str | None = None) -> Any:  # fmt: skip
    """The transform of a dask array along one axis, as a dask array that is not computed yet.

    Each chunk is one thread's work: dask has the threads.

    Parameters:
        x: dask array, also one that is cut along the axis: its chunks are then made whole along it
            and narrower along the others, so that none has more elements than the largest has now,
            unless one line alone has.
        axis: axis to transform, from -x.ndim to x.ndim - 1.
        kind: "fft", "ifft", "rfft", "irfft", "hfft" or "ihfft" of papilio.fft.
        n: points of a line, as in papilio.fft; None: as many as there are.
        norm: "backward", "ortho" or "forward", as in papilio.fft.

    Returns:
        dask array of the shape and dtype that the function of papilio.fft gives.

    Raises:
        TypeError: x is no dask array, or its elements are no numbers.
        ValueError: kind, axis, n or norm is out of range.

    Example:
        >>> import dask.array
        >>> x = dask.array.ones((4, 100), chunks=(4, 10))
        >>> papilio.dask.fft_along(x, kind="rfft").compute().shape
        (4, 51)
    """
    if not isinstance(x, dask.array.Array):
        raise TypeError(f"fft_along: x must be a dask array, got {type(x).__name__}; papilio.fft has numpy's")
    if kind not in _LENGTHS:
        raise ValueError(f"fft_along: kind must be one of {', '.join(_LENGTHS)}, got {kind!r}")
    axis = integer("fft_along", "axis", axis)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"fft_along: axis must be in [{-x.ndim}, {x.ndim}), got {axis}")
    axis %= x.ndim
    x = _whole_lines(x, axis)
    points = x.shape[axis]
    if n is not None:
        points = n = integer("fft_along", "n", n, 1)
    elif kind in ("irfft", "hfft"):
        points = 2 * (points - 1)
    if points < 1:
        raise ValueError(f"fft_along: n must be at least 1, got {points}")
    transform = getattr(fft, kind)
    # One line says what there is to refuse, and the type of the result.
    meta = transform(np.zeros((1,) * x.ndim, x.dtype), n=2, axis=axis, norm=norm)
    chunks = tuple((_LENGTHS[kind](points),) if i == axis else lengths for i, lengths in enumerate(x.chunks))
    return x.map_blocks(transform, n=n, axis=axis, norm=norm, workers=1, dtype=meta.dtype,
                        chunks=chunks, meta=meta[(slice(0),) * x.ndim], name=None)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Mapped:
    """What map_files did: numbers of files, and rows.

    Parameters:
        done: files whose rows are made in this run.
        skipped: files that `out` had before.
        failed: rows with an error.
        rows: all of this run, in the order of the files, where there is no `out`.

    Raises:
        TypeError: an argument is missing.

    Example:
        >>> papilio.dask.Mapped(done=2, skipped=1, failed=[]).done
        2
    """

    done: int
    skipped: int
    failed: list[Row]
    rows: list[Row] = dataclasses.field(default_factory=list, repr=False)


def _is_local(system: Any) -> bool:
    return "file" in ((system.protocol,) if isinstance(system.protocol, str) else system.protocol)


def _found(files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """Addresses by name: of local files absolute paths, of others what fsspec takes."""
    from fsspec.core import url_to_fs

    def address(file: str) -> str:
        system, name = url_to_fs(file)
        return os.path.abspath(name) if _is_local(system) else file

    if not isinstance(files, (str, os.PathLike)):
        return sorted({address(os.fspath(file)) for file in files})
    system, base = url_to_fs(os.fspath(files))
    if system.isdir(base):
        names = [name for name in system.find(base)
                 if "/." not in name[len(base.rstrip("/")):]]  # fmt: skip
    elif any(c in base for c in "*?["):
        names = [name for name in system.glob(base) if system.isfile(name)]
    else:
        raise FileNotFoundError(2, "map_files: neither a folder nor a pattern of names", os.fspath(files))
    return sorted({address(system.unstrip_protocol(name)) for name in names})


def _text(name: str) -> str:
    """The name as text, whatever its bytes are."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


@contextlib.contextmanager
def _local(address: str) -> Iterator[str]:
    """The file on this computer: itself, or a copy for as long as the context."""
    from fsspec.core import url_to_fs

    system, name = url_to_fs(address)
    if _is_local(system):
        yield name
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, pathlib.PurePosixPath(name).name)
        system.get_file(name, copy)
        yield copy


def _row(function: Callable[[str], Any], address: str) -> Row:
    """The function's row for a file, or one with the error that it raised."""
    local = address
    try:
        with _local(address) as local:
            made = function(local)
        values = dict(made) if isinstance(made, Mapping) else {"value": made}
        taken = [name for name in ("file", "error") if name in values]
        if taken:
            raise ValueError(f"the function's rows must have no {taken[0]!r}, which map_files gives them")
    except Exception as e:
        # A copy that was read is gone: the error is the file's.
        text = str(e) or type(e).__name__
        for copy in (local, repr(local)[1:-1]):
            text = text.replace(copy, address)
        return {"file": _text(address), "error": _text(text)}
    return {"file": _text(address), "error": None, **values}


def _rows(client: Any, function: Callable[[str], Any], addresses: Sequence[str]) -> Iterator[Row]:
    """A row for each file, as they come.

    Dask gives up files whose workers died several times, also those that waited beside the one that
    kills: each of them is tried once more when nothing else runs.
    """
    from distributed import KilledWorker, as_completed

    work = functools.partial(_row, function)
    waiting = client.map(work, addresses, pure=False, retries=3)
    names = {future.key: address for future, address in zip(waiting, addresses)}
    suspects = []
    for future in as_completed(waiting):
        try:
            yield future.result()
        except KilledWorker:
            suspects.append(names[future.key])
        future.release()
    for address in suspects:
        try:
            yield client.submit(work, address, pure=False).result()
        except KilledWorker as e:
            deaths = e.allowed_failures + 1
            name = _text(address)
            yield {"file": name, "error": f"{name}: its worker died, {deaths} times in a row"}


class _Tables:
    """A folder of Parquet files with the columns of its first rows, each of which appears whole or not at all."""

    def __init__(self, out: str | os.PathLike[str]) -> None:
        import pyarrow.compute
        import pyarrow.parquet

        self._parquet = pyarrow.parquet
        self._arrow = pyarrow
        self._out = pathlib.Path(out)
        self._out.mkdir(parents=True, exist_ok=True)
        for stale in self._out.glob("*.part"):
            stale.unlink()
        self._head = pyarrow.schema([("file", pyarrow.string()), ("error", pyarrow.string())])
        self._columns: Any = None
        self.done: set[str] = set()
        for file in sorted(self._out.glob("*.parquet")):
            self._take(file)

    def _take(self, file: pathlib.Path) -> None:
        """Notes what is done; rows of files that failed are removed: they are tried again."""
        table = self._parquet.read_table(file)
        if len(table.schema) > len(self._head):
            self._columns = self._columns or table.schema
        good = table.filter(self._arrow.compute.is_null(table["error"]))
        self.done.update(good["file"].to_pylist())
        if len(good) == len(table):
            return
        if len(good) > 0:
            self._write(good)
        file.unlink()

    def _write(self, table: Any) -> None:
        whole = self._out / f"{uuid.uuid4().hex}.parquet"
        self._parquet.write_table(table, whole.with_suffix(".part"))
        whole.with_suffix(".part").rename(whole)

    def add(self, rows: Sequence[Row]) -> list[Row]:
        """Writes rows; those that do not fit the columns, which are rows with an error then, come out."""
        from_rows = self._arrow.Table.from_pylist
        good = [row for row in rows if row["error"] is None]
        if self._columns is None and good:
            made = from_rows(good[:1]).schema
            rest = [field for field in made if field.name not in self._head.names]
            self._columns = self._arrow.schema([*self._head, *rest])
        columns = self._columns or self._head
        kept, misfits = [], []
        for row in rows:
            try:
                more = [name for name in row if name not in columns.names]
                if more:
                    raise ValueError(f"no column {more[0]!r}")
                from_rows([row], columns)
                kept.append(row)
            except (ValueError, TypeError, OverflowError) as e:  # pyarrow's are among them
                text = f"{row['file']}: its row does not fit the columns of the first one: {e}"
                misfits.append({"file": row["file"], "error": text})
        self._write(from_rows(kept + misfits, columns))
        return misfits


@contextlib.contextmanager
def _client_of(client: Any) -> Iterator[Any]:
    """The given one, else the one that there is, else the threads of this process."""
    from distributed import Client, default_client

    if client is None:
        try:
            client = default_client()
        except ValueError:
            with Client(processes=False, dashboard_address=None) as threads:
                yield threads
            return
    yield client


def map_files(files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
              function: Callable[[str], Any], out: str | os.PathLike[str] | None = None, *,
              client: Any = None, rows_of_a_table: int = 64,
              progress: Callable[[int, int], None] | None = None) -> Mapped:  # fmt: skip
    """function(path) for each file, on dask's workers: a row for each, or the error where it failed.

    A run that was stopped goes on where it was: what `out` has is skipped, what failed is tried
    again, and a worker that dies loses nothing. A file that kills its worker is tried again alone,
    then it is a row with an error.

    Parameters:
        files: a folder, with those below it, a pattern of names ("calls/**/*.wav"), or a list; on this
            computer or as an address of fsspec ("s3://bucket/calls"), whose copy the function gets.
        function: returns the row's values by name, numbers, texts or lists of them, or one value.
        out: folder of Parquet files, which have the columns "file", "error" and those of the first row;
            another function needs another folder. None: rows are in the result.
        client: of dask.distributed; None: the process's own, else threads of this process.
        rows_of_a_table: rows of a Parquet file, at least 1.
        progress: progress(done, all) is called after each file.

    Returns:
        Mapped, with the numbers of files and the rows.

    Raises:
        TypeError: function cannot be called, or files are no names.
        ValueError: there are no files, or rows_of_a_table is below 1.

    Example:
        >>> def loudest(path):
        ...     return {"peak": float(abs(papilio.read(path).samples).max())}
        >>> papilio.dask.map_files(["song.flac"], loudest).done
        1
    """
    rows_of_a_table = integer("map_files", "rows_of_a_table", rows_of_a_table, 1)
    if not callable(function):
        raise TypeError(f"map_files: function must be callable, got {type(function).__name__}")
    found = _found(files)
    tables = None if out is None else _Tables(out)
    todo = found if tables is None else [file for file in found if _text(file) not in tables.done]
    rows: list[Row] = []
    failed: list[Row] = []
    done = 0

    def write() -> None:
        if tables is not None and rows:
            failed.extend(tables.add(rows))
            rows.clear()

    with _client_of(client) as workers:
        try:
            for row in _rows(workers, function, todo):
                rows.append(row)
                if row["error"] is not None:
                    failed.append(row)
                done += 1
                if progress is not None:
                    progress(done, len(todo))
                if len(rows) >= rows_of_a_table:
                    write()
        finally:
            write()
    return Mapped(done - len(failed), len(found) - len(todo), failed, sorted(rows, key=lambda row: row["file"]))


public(globals())
