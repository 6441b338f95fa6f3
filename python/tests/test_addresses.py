import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is of Python 3.11")


def run(*words):
    command = [sys.executable, ROOT / "scripts/addresses.py", *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def copy(tmp_path):
    for name in ("README.md", "pyproject.toml", "CITATION.cff", "packaging/addresses.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def fill(copy, **addresses):
    text = "".join(f'{name} = "{address}"\n' for name, address in addresses.items())
    (copy / "packaging/addresses.toml").write_text(text)


def test_the_files_have_the_addresses():
    checked = run("--check", str(ROOT))
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_what_the_owner_fills_in_is_written_everywhere_and_taken_back(copy):
    import tomllib

    fill(copy, repository="https://example.org/papilio", releases="", documentation="https://example.org/docs")
    assert run("--check", str(copy)).returncode == 1
    before = (copy / "README.md").read_text()
    assert run(str(copy)).returncode == 0 and run("--check", str(copy)).returncode == 0
    project = tomllib.loads((copy / "pyproject.toml").read_text())["project"]
    assert project["urls"] == {"Source": "https://example.org/papilio", "Documentation": "https://example.org/docs"}
    assert project["scripts"] == {"papilio": "papilio._program:main"}
    line = "[Source](https://example.org/papilio) · [Documentation](https://example.org/docs)\n"
    assert line in (copy / "README.md").read_text()
    citation = (copy / "CITATION.cff").read_text()
    assert 'repository-code: "https://example.org/papilio"\nurl: "https://example.org/docs"\n' in citation
    fill(copy, repository="")
    run(str(copy))
    assert "urls" not in tomllib.loads((copy / "pyproject.toml").read_text())["project"]
    assert "example.org" not in (copy / "README.md").read_text() + (copy / "CITATION.cff").read_text()
    assert len((copy / "README.md").read_text()) <= len(before)


@pytest.mark.parametrize("field, address", [("repository", "example.org"), ("issues", "http://example.org"),
                                            ("homepage", "https://example.org")])  # fmt: skip
def test_what_is_no_address_is_refused(copy, field, address):
    fill(copy, **{field: address})
    refused = run(str(copy))
    assert refused.returncode == 1 and f"packaging/addresses.toml: {'no field ' * (field == 'homepage')}" in refused.stderr
    assert "example.org" not in (copy / "README.md").read_text()
