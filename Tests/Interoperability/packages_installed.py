#!/usr/bin/python3
"""Packs the programs that were built, and plays the tutorial on a fresh Debian where systemd runs what was installed.

Usage: packages_installed.py FOLDER   (with the programs sealring and sealring-server, and the objects that they were linked from)
Prints one line per check; exits 1 when one failed. Needs root, and the first time network."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "packaging"))

import debian
import product
import relink

with tempfile.TemporaryDirectory(prefix="sealring-packages") as folder:
    work = pathlib.Path(folder)
    programs = product.Programs(relink.relink(sys.argv[1], work / "programs"))
    (work / "packages").mkdir()
    for name in product.PROGRAMS:
        # Seconds instead of a minute: whether the package is small does not matter here.
        debian.build(name, programs, product.epoch(), work, work / "packages", compression="none")
    played = [sys.executable, "-B", str(ROOT / "Tests/Documents/packaged.py"), str(work / "packages"), *sys.argv[2:]]
    sys.exit(subprocess.run(played).returncode)
