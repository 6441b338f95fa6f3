"""numpy's and torch's side of papilio_bench_einsum.

A line "case SUBSCRIPTS SHAPE SHAPE" (shapes as 48x128) makes the operands and answers with the names of
the peers that there are; a line "run PEER COUNT" answers with the wall seconds of COUNT calls.
"""

import sys
import time

import numpy

try:
    import torch
except ImportError:
    torch = None


def made(shape, seed):
    return numpy.random.default_rng(seed).random(shape, numpy.float32) - numpy.float32(0.5)


def matmul_of(subscripts, operands):
    """numpy.matmul where it can say the same."""
    if subscripts in ("ij,jk->ik", "bij,bjk->bik"):
        return lambda: numpy.matmul(*operands)
    return None


def peers_of(subscripts, shapes):
    operands = [made(shape, seed) for seed, shape in enumerate(shapes)]
    peers = {"numpy.einsum": lambda: numpy.einsum(subscripts, *operands, optimize=True)}
    if (product := matmul_of(subscripts, operands)) is not None:
        peers["numpy.matmul"] = product
    if torch is not None:
        tensors = [torch.from_numpy(x) for x in operands]
        peers["torch.einsum"] = lambda: torch.einsum(subscripts, *tensors)
    return peers


def seconds_of(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - start


def main():
    if torch is not None:
        torch.set_num_threads(int(sys.argv[1]))
    peers = {}
    print("ready", flush=True)
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == "case":
            peers = peers_of(words[0], [tuple(map(int, word.split("x"))) for word in words[1:]])
            print(*peers, flush=True)
        else:
            print(seconds_of(peers[words[0]], int(words[1])), flush=True)


main()
