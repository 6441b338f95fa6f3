#!/usr/bin/env python3
"""Puts into a wheel of papilio the libraries of others that it needs, with their licences, and a font.

usage: repair.py WHEEL FOLDER

The wheel that appears in FOLDER runs on Linux systems of its tag that have nothing but Python. It is
auditwheel's work, but for three things: libraries of desktops (X11, GLib), expat and zlib, which auditwheel
takes for granted, are put in too; so is the font of the pictures; and the licence of each Debian package
that something is taken from is in dist-info/licenses, with the texts that it refers to.
"""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import auditwheel.policy
from auditwheel.libc import Libc
from auditwheel.main import main as auditwheel_main
from auditwheel.wheeltools import InWheelCtx

# All that a system without desktop has for certain: the C and C++ runtime.
RUNTIME = {
    "ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0",
    "librt.so.1", "libstdc++.so.6",
}  # fmt: skip
FONT = pathlib.Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
LICENCES = pathlib.Path("/usr/share/common-licenses")
# A wheel must not have these: their licences would be the wheel's.
REFUSED = re.compile(r"fftw|libx264|libx265|readline")


def narrow_policies(folder):
    """auditwheel's list of what each system has, without all but the runtime."""
    policies = json.loads(auditwheel.policy._POLICY_JSON_MAP[Libc.GLIBC].read_text())
    for policy in policies:
        policy["lib_whitelist"] = [name for name in policy["lib_whitelist"] if name in RUNTIME]
    narrow = folder / "policies.json"
    narrow.write_text(json.dumps(policies))
    auditwheel.policy._POLICY_JSON_MAP[Libc.GLIBC] = narrow


def repaired(wheel, folder):
    sys.argv = ["auditwheel", "repair", "--wheel-dir", str(folder), str(wheel)]
    code = auditwheel_main()
    made = list(folder.glob("*.whl"))
    if code or len(made) != 1:
        sys.exit(f"repair.py: auditwheel did not repair {wheel}")
    return made[0]


def queried(*words):
    return subprocess.run(["dpkg-query", *words], check=True, capture_output=True, text=True).stdout


def package_of(file):
    """The Debian package of a bundled file, whose name has the hash that the package's file must have."""
    found = re.search(r"-([0-9a-f]{8})(?=\.)", file.name)
    name = file.name.replace(found[0], "") if found else file.name
    digest = found[1] if found else hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    for line in queried("--search", f"*/{name}").splitlines():
        package, path = line.split(": ", 1)
        if hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:8] == digest:
            package = package.split(":")[0]
            return package, queried("--show", "--showformat=${Version}", package)
    sys.exit(f"repair.py: {name} is of no package: its licence is not known")


def source_of(package):
    return queried("--show", "--showformat=${source:Package} ${source:Version}", package)


def add_licences(info, packages, libraries):
    folder = info / "licenses" / "bundled"
    folder.mkdir(parents=True)
    texts, rows = set(), []
    for name, version in sorted(packages):
        words = pathlib.Path(f"/usr/share/doc/{name}/copyright").read_text()
        (folder / f"{name}.txt").write_text(words)
        texts.update(re.findall(r"common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])", words))
        rows.append(f"{name} {version}, of the source package {source_of(name)}\n")
    for name in sorted(texts):
        if (LICENCES / name).is_file():
            shutil.copy(LICENCES / name, folder / f"common-licenses-{name}.txt")
    (folder / "README.txt").write_text(
        "This wheel has, unchanged but for their names, shared libraries and a font of these packages of\n"
        "Debian 12, whose sources https://snapshot.debian.org keeps:\n\n" + "".join(rows) +
        "\nPACKAGE.txt is the package's licence, common-licenses-*.txt are texts that these refer to.\n"
        "Another version of a library takes the place of the file of its name in papilio.libs:\n\n" +
        "".join(f"{name}\n" for name in libraries)
    )  # fmt: skip
    return [f"bundled/{path.name}" for path in sorted(folder.iterdir())]


def main(wheel, out):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        narrow_policies(folder)
        made = repaired(wheel, folder)
        target = out / made.name
        with InWheelCtx(made) as context:
            root = pathlib.Path(context.path)
            (info,) = root.glob("*.dist-info")
            libraries = sorted(path.name for path in root.glob("*.libs/*"))
            refused = [name for name in libraries if REFUSED.search(name)]
            if refused:
                sys.exit(f"repair.py: not to be bundled: {', '.join(refused)}")
            fonts = root / "papilio" / "fonts"
            fonts.mkdir()
            shutil.copy(FONT, fonts)
            shutil.copy(pathlib.Path(__file__).with_name("fonts.conf"), fonts)
            packages = {package_of(path) for path in [*root.glob("*.libs/*"), fonts / FONT.name]}
            licences = add_licences(info, packages, libraries)
            metadata = info / "METADATA"
            words = metadata.read_text()
            more = "".join(f"License-File: {name}\n" for name in licences)
            metadata.write_text(words.replace("License-File: LICENSE\n", "License-File: LICENSE\n" + more, 1))
            context.out_wheel = target  # which is written when all this was done
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB, {len(libraries)} libraries of {len(packages)} packages, "
          f"sha256 {hashlib.sha256(target.read_bytes()).hexdigest()}")  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*(pathlib.Path(word).resolve() for word in sys.argv[1:]))
