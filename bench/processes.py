"""Whole processes: what they use, in turns, and the sounds that they read."""
import array
import math
import os
import random
import statistics
import subprocess
import sys
import time
import wave

RATE_HZ = 44100


# Starts a command and prints what it used. A command's peak is never below that of the process that
# starts it: this one is small.
LAUNCHER = """
import os, sys, time
null = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=null)
_, status, used = os.wait4(child, 0)
wall = time.perf_counter() - start
print(status, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def usage(command, environment=None):
    """Wall seconds, CPU seconds and peak MiB (8 at least) of a command; None if it failed or is not
    there."""
    run = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, *map(str, command)],
                         env={**os.environ, **(environment or {})}, text=True, capture_output=True)
    if run.returncode != 0:
        return None
    status, *used = map(float, run.stdout.split())
    if status != 0:
        print(f"{command[0]} failed, status {status:.0f}")
        return None
    return tuple(used)


def write_wav(path, seconds):
    """Two tones over noise, another pair every second and again after 20, stereo, 44.1 kHz, 16 bit."""
    noise = random.Random(1)
    hiss = [noise.gauss(0, 300) for _ in range(RATE_HZ)]
    blocks = []
    for second in range(min(seconds, 20)):
        turns = [2 * math.pi * (200 + 400 * second * share) / RATE_HZ for share in (1, 0.5)]
        samples = (8000 * math.sin(turn * i) + hiss[i] for i in range(RATE_HZ) for turn in turns)
        blocks.append(array.array("h", map(int, samples)).tobytes())
    with wave.open(str(path), "wb") as out:
        out.setparams((2, 2, RATE_HZ, 0, "NONE", ""))
        for second in range(seconds):
            out.writeframesraw(blocks[second % len(blocks)])


class Calls:
    """papilio_bench_hot_calls --serve: CPU seconds of a call by its name."""

    def __init__(self, program, environment=None):
        # Whether malloc gives pages back at the end of a call, and gets them anew in the next, must
        # not depend on what was called before.
        self.environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1",
                            "MALLOC_TRIM_THRESHOLD_": "1073741824",
                            "MALLOC_MMAP_THRESHOLD_": "33554432", **(environment or {})}
        listed = subprocess.run([program, "--list"], env=self.environment, text=True, check=True,
                                capture_output=True).stdout
        self.names = [line.split(" ", 1)[1] for line in listed.splitlines()]
        self.process = subprocess.Popen([program, "--serve"], env=self.environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1)

    def seconds(self, name):
        self.process.stdin.write(name + "\n")
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def in_turns(sides, most, least, seconds):
    """What each function gave in its turns: at least `least` turns, and up to `most` while they take
    no longer than `seconds`. Each is the first of some turns."""
    found = [[] for _ in sides]
    start = time.perf_counter()
    for turn in range(most):
        if turn >= least and time.perf_counter() - start > seconds:
            break
        for i in range(len(sides)):
            at = (i + turn) % len(sides)
            found[at].append(sides[at]())
    return found


def median_ratio(over, under):
    return statistics.median(a / b for a, b in zip(over, under))
