"""The calls that docs/from_other_libraries.md shows side by side."""

import pathlib
import re
import shutil
import warnings

import numpy as np
import pytest

from conftest import relative_error

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "from_other_libraries.md").read_text(encoding="utf-8")
BEGINNING = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
CALLS = re.findall(r"^\| `(.+?)` \| `(.+?)` \| (\S+) \|$", PAGE, re.MULTILINE)


def test_the_page_has_thirty_calls():
    assert len(CALLS) >= 30 and len(CALLS) == PAGE.count("\n| `")


@pytest.mark.parametrize("theirs, ours, limit", CALLS, ids=[theirs for theirs, *_ in CALLS])
def test_the_results_are_the_same(theirs, ours, limit, sound_file, tmp_path, monkeypatch):
    shutil.copy(sound_file, tmp_path / "song.flac")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(BEGINNING, names)
    got = np.asarray(eval(ours, names))
    assert got.size and np.isfinite(got).all()
    names.update({name: pytest.importorskip(name) for name in set(re.findall(r"\b(librosa|scipy|torchaudio|torch)\.", theirs))})
    for part in re.findall(r"\bscipy\.(\w+)", theirs):
        pytest.importorskip(f"scipy.{part}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of those libraries
        expected = np.asarray(eval(theirs, names))
    assert relative_error(got, expected) <= float(limit)
