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

import dask_folder  # noqa: E402
import pyarrow.parquet  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

import papilio  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


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
                if file.name == "killer.wav":
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


def rows_of(out):
    return [row for file in sorted(out.glob("*.parquet"))
            for row in pyarrow.parquet.read_table(file).to_pylist()]  # fmt: skip


def test_a_folder_is_done_once(client, recordings, tmp_path):
    out = tmp_path / "out"
    count, failed = dask_folder.run(client, str(recordings), out, rows_of_a_table=7)
    assert count == 21 and len(failed) == 1 and "not recognised" in failed[0]["error"]
    assert failed[0]["error"].startswith((recordings / "day0" / "broken.wav").as_uri())
    rows = rows_of(out)
    assert len(rows) == 21 and len({row["file"] for row in rows}) == 21
    done = [row for row in rows if row["error"] is None]
    assert {row["seconds"] for row in done} == {(8000 + 100 * i) / 8000 for i in range(20)}
    assert all(abs(row["rms_dbfs"] + 20) < 0.5 and len(row["mfcc"]) == 13 for row in done)
    # What failed, and what is new, is all that the next run does.
    papilio.write(recordings / "new.wav", np.zeros(800), 8000)
    count, failed = dask_folder.run(client, str(recordings), out)
    assert count == 2 and len(failed) == 1
    assert len({row["file"] for row in rows_of(out)}) == len(rows_of(out)) == 22


def test_a_worker_that_dies_loses_nothing(client, recordings, tmp_path):
    killed = []

    def kill(count, _):
        if count == 3 and not killed:
            killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    count, failed = dask_folder.run(client, str(recordings), tmp_path / "out", progress=kill)
    assert killed and count == 21 and len(failed) == 1
    assert len({row["file"] for row in rows_of(tmp_path / "out")}) == 21


def test_a_recording_that_kills_its_worker_is_a_row(client, recordings, tmp_path):
    killer = recordings / "day1" / "killer.wav"
    papilio.write(killer, np.zeros(800), 8000)
    count, failed = dask_folder.run(client, str(recordings), tmp_path / "out")
    rows = {row["file"]: row for row in rows_of(tmp_path / "out")}
    assert count == len(rows) == 22 and len(failed) == 2
    assert rows[killer.as_uri()]["error"] == f"{killer.as_uri()}: its worker died, 2 times in a row"
    assert sum(row["error"] is None for row in rows.values()) == 20
