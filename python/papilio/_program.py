"""The papilio program of a wheel, which its console script becomes."""

import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / "bin" / "papilio"
    os.execv(program, [str(program), *sys.argv[1:]])
