import pathlib
import resource

import numpy as np
import pytest

import papilio

# Vectors that librosa, scipy and torch made (tests/signal/reference).
DATA = pathlib.Path(__file__).parents[2] / "tests" / "signal" / "data"
SOUND = pathlib.Path(__file__).parents[2] / "examples" / "data" / "guit_e_fifths.flac"

# Files are left out whose part of the library this build lacks.
collect_ignore = [file for file, part in (("test_tensor.py", "einsum"), ("test_chem.py", "mp2"), ("test_layers.py", "complex_linear"),
                                    ("test_on_device.py", "Device"), ("test_device.py", "Device"), ("test_nki.py", "Recording"))
                  if not hasattr(papilio._papilio, part)]  # fmt: skip


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture
def sound_file():
    return SOUND


def relative_error(got, expected):
    """Euclidean, in the precision of the reference."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    scale = np.linalg.norm(expected.ravel())
    return np.linalg.norm((got - expected).ravel()) / (scale if scale > 0 else 1)


def bound(dtype, n):
    """A transform of n points is off by 0.6 eps sqrt(log2 2n) at most, and so is its reference."""
    eps = np.finfo(dtype).eps
    return 1.5 * eps * np.sqrt(np.log2(2 * max(int(n), 1)))


def stored(name):
    values = np.load(DATA / f"{name}.npy")
    is_complex = values.ndim == 3 and values.shape[-1] == 2
    return values[..., 0] + 1j * values[..., 1] if is_complex else values


def resident_bytes():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()
