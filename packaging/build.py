"""Packs two programs into everything that is released. scripts/package calls it."""
import argparse
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile

import debian
import oci
import portable
import product


def build(programs, output, epoch):
    """Builds all kinds; returns what was made, in the order of their names."""
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    # Modes of folders must not depend on who packs.
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as work:
        made = [debian.build(name, programs, epoch, work, output) for name in product.PROGRAMS]
        made.append(portable.build(programs, epoch, work, output))
        made.append(oci.build(programs, epoch, work, output))
    # What the programs were built with: Git does not have it.
    made.append(output / f"sealring-{product.version()}-Package.resolved")
    shutil.copyfile(product.ROOT / "Package.resolved", made[-1])
    # An image layout is named by its index, which has the digests of all else.
    files = [file if file.is_file() else file / "index.json" for file in made]
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(output)}\n" for file in files]
    (output / "SHA256SUMS").write_text("".join(sums))
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", required=True)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--spoken-by", help="folder of programs to ask for help and completions, if the binaries are stand-ins")
    options = parser.parse_args()
    try:
        for made in build(product.Programs(options.binaries, options.spoken_by), options.output, product.epoch()):
            print(made)
    except product.PackagingError as error:
        sys.exit(f"scripts/package: {error}")
