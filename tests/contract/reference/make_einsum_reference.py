#!/usr/bin/env python3
"""Writes the lines of tests/contract/data/einsum_numpy.txt: what numpy.einsum makes of texts and
shapes, a third of them faulty.

    python3 -m venv venv && venv/bin/pip install numpy
    venv/bin/python tests/contract/reference/make_einsum_reference.py > tests/contract/data/einsum_numpy.txt

With arguments SEED COUNT: other random cases. The stored file comes from numpy 2.4.6.
A line is "text|shapes|result". Operands are the integers of operand(); the result is its shape and
the sum of its elements times 1, 2 ... 13, 1 ..., or "!" where numpy raises.
"""
import random
import sys

import numpy as np

rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 640

FIXED = [
    ("", [()]), ("->", [()]), (" ", [()]), ("i->", [(3,)]), (",", [(), ()]), (",->", [(), ()]),
    (",", [()]), ("i,", [(3,), ()]), ("i,", [(3,)]), ("i,,j", [(2,), (), (3,)]), ("i,j", [(2,)]),
    ("i", [(2,), (3,)]), ("...", [()]), ("...->...", [(2, 3)]), ("...->", [(2,)]), ("...->", [()]),
    ("....", [(2,)]), (". ..", [(2,)]), ("..", [(2,)]), (".", [(2,)]), ("i.", [(2,)]),
    ("...i...", [(2,)]), ("... ...", [(2,)]), ("i...->...i", [(2,)]), ("i...->. ..", [(2, 3)]),
    ("i...-> ... ", [(2, 3)]), ("...,->...", [(2,), ()]), ("...i,...->i", [(3,), ()]),
    ("...i->i", [(2, 3)]), ("...i->i", [(3,)]), ("ij->i...", [(2, 3)]), ("...,...", [(2,), (3,)]),
    ("...a,...b->...ab", [(2, 3), (1, 4)]), ("...a,...b->...ab", [(2, 3), (5, 4)]),
    ("...a,b...->...ab", [(2, 3), (4, 7, 1)]), ("...a,...a", [(5, 2, 3), (2, 3)]),
    ("...ii", [(2, 3, 3)]), ("i...i", [(3, 2, 3)]), ("ijk...->ijk", [(2, 3)]),
    ("i - > i", [(2,)]), ("- >", [()]), ("i ->i", [(2,)]), (" i , j -> j i ", [(2,), (3,)]),
    ("i1", [(2, 3)]), ("i_j", [(2, 3)]), ("i->i->i", [(2,)]), ("i,j->i,j", [(2,), (3,)]),
    ("i>i", [(2,)]), ("i-i", [(2,)]), ("i-", [(2,)]), ("i->>", [(2,)]), ("i--i", [(2,)]),
    ("-", [()]), (">", [()]), ("i-,j", [(2,), (3,)]), ("i->ii", [(2,)]), ("i->j", [(2,)]),
    ("A->a", [(2,)]), ("->i", [(2,)]), ("ij", [(2,)]), ("i", [(2, 3)]), ("ba", [(2, 3)]),
    ("bA", [(2, 3)]), ("aB...", [(2, 3, 4)]), ("ii", [(1, 3)]), ("ii->i", [(3, 1)]),
    ("ii", [(0, 3)]), ("ii->i", [(0, 3)]), ("ii->i", [(3, 0)]), ("iij,i->j", [(1, 3, 2), (3,)]),
    ("iij,i->j", [(1, 1, 2), (3,)]), ("ii,i->i", [(1, 1), (3,)]), ("ij,jk", [(2, 1), (3, 4)]),
    ("ij,jk", [(2, 0), (1, 4)]), ("ij,jk->ijk", [(2, 0), (1, 4)]), ("ij,jk", [(2, 0), (2, 4)]),
    ("i,i", [(1,), (3,)]), ("i->", [(0,)]), ("i,i->i", [(1,), (0,)]),
    ("ij,ij,ij->ij", [(1, 3), (2, 1), (2, 3)]), ("i...,i...->i...", [(1, 2), (4, 1)]),
]


def operand(k, shape):
    count = int(np.prod(shape)) if shape else 1
    return ((np.arange(count, dtype=np.int64) * 7 + k * 5) % 11 - 5).reshape(shape)


def uneven_diagonal(text, shapes):
    """numpy takes the diagonal of extents 0 and n for one of n elements, and reads what is not
    there; it refuses all others."""
    for term, shape in zip(text.split("->")[0].replace(" ", "").split(","), shapes):
        if "..." in term:
            left, right = term.split("...")[:2]
            term = left + "?" * (len(shape) - len(left) - len(right)) + right
        extents = {}
        for label, extent in zip(term, shape):
            if label != "?" and extents.setdefault(label, extent) != extent:
                return True
    return False


def result(text, shapes):
    if uneven_diagonal(text, shapes):
        return "!"
    try:
        value = np.einsum(text, *[operand(k, s) for k, s in enumerate(shapes)])
    except ValueError:
        return "!"
    flat = np.asarray(value).ravel()
    return f"{shown(np.shape(value))} {int(((np.arange(flat.size) % 13 + 1) * flat).sum())}"


def shown(shape):
    return ",".join(map(str, shape)) if len(shape) else "-"


def random_operand(alphabet, extents, dots):
    labels = [rng.choice(alphabet) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]))]
    here = {c: 1 if rng.random() < 0.12 else extents[c] for c in alphabet}
    shape, term = [here[c] for c in labels], "".join(labels)
    if rng.random() < 0.04 and shape:
        shape[rng.randrange(len(shape))] = rng.choice([0, 1, 2, 3])
    if rng.random() < 0.4:
        at = rng.randrange(len(labels) + 1)
        axes = dots[len(dots) - rng.randrange(len(dots) + 1):]
        axes = [1 if rng.random() < 0.15 else e for e in axes]
        if rng.random() < 0.03:
            axes = [4] + axes
        shape, term = shape[:at] + axes + shape[at:], term[:at] + "..." + term[at:]
    if rng.random() < 0.03:
        shape = shape + [2]
    if rng.random() < 0.03:
        shape = shape[1:]
    return term, tuple(shape)


def spaced(text):
    if rng.random() < 0.8:
        return text
    spaces = ["" if c == ">" or text[:i].endswith(".") or rng.random() < 0.7 else " "
              for i, c in enumerate(text)]
    return "".join(s + c for s, c in zip(spaces, text)) + rng.choice(["", "", " "])


def mutated(text):
    if rng.random() > 0.15 or not text:
        return text
    at, c = rng.randrange(len(text) + 1), rng.choice(".,->ij 1_Z~")
    return rng.choice([text[:at] + c + text[at:], text[:at] + text[at + 1:],
                       text[:at] + c + text[at + 1:]])


def random_case():
    alphabet = rng.choice(["ij", "ijk", "ijkl", "aBcD", "XabZ"])
    choices = [1, 2, 2, 3, 3, 4, 0] if rng.random() < 0.3 else [1, 2, 2, 3]
    extents = {c: rng.choice(choices) for c in alphabet}
    dots = [rng.choice([1, 2, 3]) for _ in range(rng.choice([0, 1, 1, 2]))]
    pairs = [random_operand(alphabet, extents, dots) for _ in range(rng.choice([1, 1, 2, 2, 2, 3, 4]))]
    text, shapes = ",".join(t for t, _ in pairs), [s for _, s in pairs]
    if rng.random() < 0.65:
        output = [c for c in dict.fromkeys(text) if c not in ".," and rng.random() < 0.6]
        rng.shuffle(output)
        if rng.random() < 0.04:
            output.append(rng.choice(alphabet))
        if rng.random() < (0.9 if "." in text else 0.08):
            output.insert(rng.randrange(len(output) + 1), "...")
        text += "->" + "".join(output)
    text = mutated(spaced(text))
    if rng.random() < 0.03 and len(shapes) > 1:
        shapes = shapes[:-1]
    if rng.random() < 0.03:
        shapes = shapes + [rng.choice([(), (2,), (3, 2)])]
    return text, shapes


seen = set()
for number in range(COUNT):
    text, shapes = FIXED[number] if number < len(FIXED) else random_case()
    if (text, tuple(shapes)) not in seen:
        seen.add((text, tuple(shapes)))
        print(f"{text}|{';'.join(map(shown, shapes))}|{result(text, shapes)}")
