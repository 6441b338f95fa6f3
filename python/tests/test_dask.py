import math
import os
import pathlib
import signal
import sys

import numpy as np
import pytest

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")
pytest.importorskip("pyarrow")
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))

import dask.array  # noqa: E402
import dask_folder  # noqa: E402
import pyarrow.parquet  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

import papilio.dask  # noqa: E402
from conftest import bound, relative_error  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def largest(x):
    return math.prod(map(max, x.chunks))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("kind", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_along_a_cut_axis(kind, axis, rng):
    x = rng.standard_normal((12, 30, 7)).astype(np.float32)
    chunked = dask.array.from_array(x, chunks=(5, 7, 3))
    expected = getattr(np.fft, kind)(x.astype(float), axis=axis)
    lazy = papilio.dask.fft_along(chunked, axis, kind=kind)
    assert lazy.shape == expected.shape
    got = lazy.compute(scheduler="threads")
    assert got.dtype == lazy.dtype == (np.complex64 if np.iscomplexobj(expected) else np.float32)
    assert relative_error(got, expected) < bound(np.float32, 60)
    cut = papilio.dask.fft_along(chunked, axis, kind=kind, n=16, norm="ortho").compute()
    expected = getattr(np.fft, kind)(x.astype(float), 16, axis=axis, norm="ortho")
    assert relative_error(cut, expected) < bound(np.float32, 60)


@pytest.mark.parametrize("shape, chunks, axis", [
    ((64, 4096), (64, 64), 1), ((1000, 1000), (10, 1000), 0), ((5, 6, 7, 8), (2, 3, 7, 4), -2),
    ((100, 33, 17), (1, 33, 17), 0), ((9, 10), (9, 1), 1), ((50, 50), ((10, 40), (1, 49)), 1),
])  # fmt: skip
def test_no_chunk_grows(shape, chunks, axis):
    x = dask.array.zeros(shape, chunks=chunks)
    y = papilio.dask.fft_along(x, axis)
    assert len(y.chunks[axis]) == 1
    assert largest(y) <= max(largest(x), shape[axis])
    # Nor are they cut more than they have to be: two neighbours along an axis would not fit into one.
    assert y.npartitions <= 4 * max(x.npartitions, x.size // max(largest(x), shape[axis]))


def test_an_axis_that_is_whole_stays_as_it_is():
    x = dask.array.zeros((10, 100), chunks=((3, 7), 100))
    assert papilio.dask.fft_along(x, kind="rfft").chunks == ((3, 7), (51,))


def test_what_fft_along_refuses():
    along = papilio.dask.fft_along
    x = dask.array.zeros((4, 6), chunks=3)
    for error, words, call in (
        (TypeError, "x must be a dask array, got ndarray", lambda: along(np.zeros(4))),
        (ValueError, "kind must be one of fft, .*, got 'dft'", lambda: along(x, kind="dft")),
        (ValueError, r"axis must be in \[-2, 2\), got 2", lambda: along(x, 2)),
        (ValueError, "n must be at least 1, got 0", lambda: along(x, n=0)),
        (TypeError, "axis must be an integer, got 0.5", lambda: along(x, 0.5)),
        (TypeError, "no option 'axes'; did you mean 'axis'", lambda: along(x, axes=0)),
        (ValueError, "chunks whose lengths must be known", lambda: along(x[x[:, 0] > 0], 0)),
    ):  # fmt: skip
        with pytest.raises(error, match=words) as raised:
            call()
        assert "\n" not in str(raised.value) and str(raised.value).startswith("fft_along: ")
    with pytest.raises(ValueError, match='Invalid norm value "loud"'):
        along(x, norm="loud")


def test_an_array_of_dask_is_never_fetched_in_silence():
    fetched = []
    x = dask.array.from_array(np.zeros(64), chunks=16).map_blocks(
        lambda block: fetched.append(1) or block, dtype=float, meta=np.zeros(0))  # fmt: skip
    for call in (papilio.fft.fft, papilio.fft.rfftn, papilio.fft.dct, papilio.fft.dctn, papilio.fft.hfft2,
                 papilio.signal.stft, papilio.signal.welch, papilio.signal.librosa.stft,
                 papilio.FftPlan(64).execute, lambda x: papilio.write("x.wav", x, 8000)):  # fmt: skip
        with pytest.raises(TypeError, match="must be an array in memory, got dask's: papilio.dask.fft_along"):
            call(x)
    assert not fetched
    assert papilio.fft.fft(x.compute()).shape == (64,) and len(fetched) == 4


def length_of(file):
    return {"name": os.path.basename(file), "length": len(open(file).read())}


def test_rows_of_files_without_a_cluster(tmp_path):
    folder = tmp_path / "texts [of 2]"
    (folder / "below").mkdir(parents=True)
    (folder / "one.txt").write_text("1")
    (folder / "below" / "two.txt").write_text("22")
    (folder / ".hidden").write_text("")
    mapped = papilio.dask.map_files(folder, length_of)
    assert mapped.done == 2 and mapped.skipped == 0 and mapped.failed == []
    assert [(row["file"], row["name"], row["length"], row["error"]) for row in mapped.rows] == [
        (str(folder / "below" / "two.txt"), "two.txt", 2, None), (str(folder / "one.txt"), "one.txt", 1, None)
    ]  # fmt: skip
    # A pattern, a list, one value, and errors in the words of the function.
    (tmp_path / "three.txt").write_text("333")
    mapped = papilio.dask.map_files(f"{tmp_path}/*.txt", os.path.getsize)
    assert [row["value"] for row in mapped.rows] == [3]
    mapped = papilio.dask.map_files([tmp_path / "none.txt", folder / "one.txt"], length_of)
    assert mapped.done == 1 and len(mapped.failed) == 1
    assert str(tmp_path / "none.txt") in mapped.failed[0]["error"]
    mapped = papilio.dask.map_files([folder / "one.txt"], lambda file: {"file": 1})
    assert "must have no 'file'" in mapped.failed[0]["error"]


def test_what_map_files_refuses(tmp_path):
    with pytest.raises(FileNotFoundError, match="neither a folder nor a pattern"):
        papilio.dask.map_files(tmp_path / "nowhere", length_of)
    with pytest.raises(TypeError, match="map_files: function must be callable, got int"):
        papilio.dask.map_files(tmp_path, 3)
    with pytest.raises(ValueError, match="map_files: rows_of_a_table must be at least 1, got 0"):
        papilio.dask.map_files(tmp_path, length_of, rows_of_a_table=0)


def rows_of(out):
    return [row for file in sorted(out.glob("*.parquet"))
            for row in pyarrow.parquet.read_table(file).to_pylist()]  # fmt: skip


def test_all_tables_have_the_columns_of_the_first_row(tmp_path):
    for i in range(6):
        (tmp_path / f"{i}.txt").write_text("x" * i)

    def odd(file):
        size = os.path.getsize(file)
        return {0: {"size": 0}, 3: {"size": "three"}, 4: {"size": 4, "more": 1}}.get(size, {"size": size})

    out = tmp_path / "out"
    papilio.dask.map_files([tmp_path / "none.txt"], odd, out)  # no row has said what the columns are
    papilio.dask.map_files([tmp_path / "0.txt"], odd, out)
    mapped = papilio.dask.map_files(f"{tmp_path}/*.txt", odd, out, rows_of_a_table=2)
    assert mapped.done == 3 and mapped.skipped == 1 and len(mapped.failed) == 2
    errors = {os.path.basename(row["file"]): row["error"] for row in mapped.failed}
    assert "its row does not fit" in errors["3.txt"] and "no column 'more'" in errors["4.txt"]
    table = pyarrow.parquet.read_table(out)
    assert table.column_names == ["file", "error", "size"] and len(table) == 6
    assert sorted(v for v in table["size"].to_pylist() if v is not None) == [0, 1, 2, 5]


def test_names_that_are_no_text(tmp_path):
    with open(os.fsencode(tmp_path) + b"/\xff.txt", "w") as f:
        f.write("12")
    for skipped in (0, 1):
        mapped = papilio.dask.map_files(tmp_path, os.path.getsize, tmp_path / ".out")
        assert mapped.skipped == skipped and mapped.failed == []
    assert rows_of(tmp_path / ".out") == [{"file": f"{tmp_path}/\\xff.txt", "error": None, "value": 2}]


def test_files_that_are_not_here_are_copied(tmp_path):
    import fsspec

    with fsspec.open("memory://far/one.txt", "w") as f:
        f.write("four")
    mapped = papilio.dask.map_files("memory://far/*.txt", length_of)
    assert mapped.rows == [{"file": "memory:///far/one.txt", "error": None, "name": "one.txt", "length": 4}]
    mapped = papilio.dask.map_files("memory://far/*.txt", papilio.read)
    assert mapped.rows[0]["error"].startswith("memory:///far/one.txt: ")


@pytest.fixture(scope="module")
def client():
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            with Client(cluster) as c:
                c.register_plugin(for_new_workers())
                yield c


def for_new_workers():
    from distributed import WorkerPlugin

    class plugin(WorkerPlugin):
        folder = str(pathlib.Path(dask_folder.__file__).parent)

        def setup(self, worker):
            sys.path.insert(0, self.folder)
            read = papilio.read

            def read_or_die(file):
                if os.path.basename(file) == "killer.wav":
                    os.kill(os.getpid(), signal.SIGKILL)
                return read(file)

            papilio.read = read_or_die

    return plugin()


@pytest.fixture
def recordings(tmp_path, rng):
    folder = tmp_path / "recordings"
    for i in range(20):
        file = folder / f"day{i % 3}" / f"{i}.wav"
        file.parent.mkdir(parents=True, exist_ok=True)
        papilio.write(file, 0.1 * rng.standard_normal(8000 + 100 * i), 8000)
    (folder / "day0" / "broken.wav").write_text("no sound")
    return folder


def mapped(recordings, out, **options):
    return papilio.dask.map_files(recordings, dask_folder.features, out, **options)


def test_a_folder_is_done_once(client, recordings, tmp_path):
    out = tmp_path / "out"
    first = mapped(recordings, out, rows_of_a_table=7)
    assert first.done == 20 and len(first.failed) == 1 and "not recognised" in first.failed[0]["error"]
    assert first.failed[0]["error"].startswith(str(recordings / "day0" / "broken.wav"))
    rows = rows_of(out)
    assert len(rows) == 21 and len({row["file"] for row in rows}) == 21
    done = [row for row in rows if row["error"] is None]
    assert {row["seconds"] for row in done} == {(8000 + 100 * i) / 8000 for i in range(20)}
    assert all(abs(row["rms_dbfs"] + 20) < 0.5 and len(row["mfcc"]) == 13 for row in done)
    # What failed, and what is new, is all that the next run does.
    papilio.write(recordings / "new.wav", np.zeros(800), 8000)
    again = mapped(recordings, out)
    assert again.done == 1 and again.skipped == 20 and len(again.failed) == 1
    assert len({row["file"] for row in rows_of(out)}) == len(rows_of(out)) == 22


def test_a_worker_that_dies_loses_nothing(client, recordings, tmp_path):
    killed = []

    def kill(count, _):
        if count == 3 and not killed:
            killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    all = mapped(recordings, tmp_path / "out", progress=kill)
    assert killed and all.done == 20 and len(all.failed) == 1
    assert len({row["file"] for row in rows_of(tmp_path / "out")}) == 21


def test_a_recording_that_kills_its_worker_is_a_row(client, recordings, tmp_path):
    killer = recordings / "day1" / "killer.wav"
    papilio.write(killer, np.zeros(800), 8000)
    all = mapped(recordings, tmp_path / "out", client=client)
    rows = {row["file"]: row for row in rows_of(tmp_path / "out")}
    assert all.done == 20 and len(rows) == 22 and len(all.failed) == 2
    assert rows[str(killer)]["error"] == f"{killer}: its worker died, 2 times in a row"
    assert sum(row["error"] is None for row in rows.values()) == 20
