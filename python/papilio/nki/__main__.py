"""python -m papilio.nki [--machine NAME] SCRIPT | -m MODULE [ARGUMENT …]: a program with papilio's nki."""

from __future__ import annotations

import os
import runpy
import sys

from .names import as_nki

_USAGE = """usage: python -m papilio.nki [--machine NAME] SCRIPT [ARGUMENT ...]
       python -m papilio.nki [--machine NAME] -m MODULE [ARGUMENT ...]

Runs a Python program whose "import nki" and "import neuronxcc.nki" find papilio's.
--machine is a preset, such as trainium1 (unless told), trainium2, trainium3, or the file of a machine."""


def main(arguments: list[str]) -> int:
    machine = None
    while arguments and arguments[0].startswith("--"):
        option, _, value = arguments.pop(0).partition("=")
        if option == "--help":
            print(_USAGE)
            return 0
        if option != "--machine" or not (value or arguments):
            print(f"python -m papilio.nki: no option {option!r}\n{_USAGE}", file=sys.stderr)
            return 2
        machine = value or arguments.pop(0)
    as_module = arguments[:1] == ["-m"]
    program = arguments[as_module:]
    if not program:
        print(_USAGE, file=sys.stderr)
        return 2
    sys.argv = program
    sys.path[0] = os.getcwd() if as_module else os.path.dirname(os.path.abspath(program[0]))
    with as_nki(machine):
        if as_module:
            runpy.run_module(program[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
