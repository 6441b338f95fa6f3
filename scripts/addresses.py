#!/usr/bin/env python3
"""Writes the addresses of packaging/addresses.toml into README.md, pyproject.toml and CITATION.cff.

usage: scripts/addresses.py [--check] [FOLDER]

--check writes nothing, and exits 1 where a file does not have what packaging/addresses.toml says.
FOLDER is the repository. Needs Python 3.11.
"""

import pathlib
import re
import sys
import tomllib

FIELDS = {"repository": "Source", "releases": "Releases", "documentation": "Documentation", "issues": "Issues"}


def addresses_of(root):
    given = tomllib.loads((root / "packaging/addresses.toml").read_text())
    for name, address in given.items():
        if name not in FIELDS:
            sys.exit(f"addresses.py: packaging/addresses.toml: no field {name!r}; there are {', '.join(FIELDS)}")
        if address and not re.fullmatch(r"https://[^\s()<>\"]+", address):
            sys.exit(f"addresses.py: packaging/addresses.toml: {name} must be an https:// address, got {address!r}")
    return {name: given[name] for name in FIELDS if given.get(name)}


def between(text, begin, end, lines, file):
    """The text with these lines between two others, which must be there once."""
    head, found, rest = text.partition(begin + "\n")
    old, found_end, tail = rest.partition(end + "\n")
    if not found or not found_end:
        sys.exit(f"addresses.py: {file}: no lines {begin!r} and {end!r}")
    return "".join([head, begin, "\n", *(line + "\n" for line in lines), end, "\n", tail])


def written(root):
    """Each file's name, its text and the text that it should have."""
    addresses = addresses_of(root)
    links = " · ".join(f"[{FIELDS[name]}]({address})" for name, address in addresses.items())
    blocks = {
        "README.md": ("<!-- packaging/addresses.toml -->", "<!-- end -->", [links] if links else []),
        "pyproject.toml": (
            "# packaging/addresses.toml", "# end",
            ["[project.urls]"] * bool(addresses) + [f'{FIELDS[n]} = "{a}"' for n, a in addresses.items()],
        ),
        "CITATION.cff": (
            "# packaging/addresses.toml", "# end",
            [f'{key}: "{addresses[n]}"' for n, key in (("repository", "repository-code"), ("documentation", "url"))
             if n in addresses],
        ),
    }  # fmt: skip
    for name, (begin, end, lines) in blocks.items():
        text = (root / name).read_text()
        yield name, text, between(text, begin, end, lines, name)


def main(words):
    check = "--check" in words
    folders = [word for word in words if word != "--check"]
    if len(folders) > 1 or any(word.startswith("-") for word in folders):
        sys.exit(__doc__)
    root = pathlib.Path(folders[0]) if folders else pathlib.Path(__file__).resolve().parent.parent
    stale = False
    for name, text, wanted in written(root):
        if text == wanted:
            continue
        stale = True
        if check:
            print(f"addresses.py: {name} does not have the addresses of packaging/addresses.toml")
        else:
            (root / name).write_text(wanted)
            print(f"addresses.py: wrote {name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
