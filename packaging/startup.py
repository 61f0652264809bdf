"""Which functions `sealring-server` calls until it has answered once, for the linker to lay side by side.

The kernel maps sixteen pages around each one that is touched. Functions that a start needs, spread over all of the program's code, so
make most of it resident; laid together they are a few MiB, and a start waits for fewer pages.

Valgrind counts calls, so this takes seconds, and a machine of the kind that the program is for. Which functions these are changes nothing
but the order in which they stand.
"""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

import product

#: A line that gives a function its number: `fn=(12) name`, or `cfn=` where it is called before it is described.
_NAMED = re.compile(r"c?fn=\((\d+)\) (.+)")


def names(counts):
    """The functions' symbols in callgrind's output, in the order of their first call."""
    numbered = {}
    for line in counts.splitlines():
        found = _NAMED.fullmatch(line)
        # Functions without a symbol are named by their address, the levels of a recursion by a number.
        if found and not found[2].startswith("0x"):
            numbered[int(found[1])] = re.sub(r"'\d+$", "", found[2])
    return list(dict.fromkeys(name for _, name in sorted(numbered.items())))


@contextlib.contextmanager
def _serving(command, data):
    """The server on a folder, from its first answer to its end."""
    server = subprocess.Popen([*command, "serve", "--port", "0", "--data", str(data)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "SEALRING_ADMIN_PASSWORD": "of a start that is counted"})
    try:
        line = server.stdout.readline()
        if not line.startswith("listening on "):
            server.kill()
            raise product.PackagingError(f"{command[-1]} does not start: {server.communicate()[1]}")
        with urllib.request.urlopen(line.removeprefix("listening on ").strip().removesuffix("/am") + "/health", timeout=60):
            yield
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate()


def functions(server):
    """What the program calls when it starts on a folder that it knows, answers once and stops."""
    with tempfile.TemporaryDirectory() as work:
        # Valgrind gives up on Swift's debug information, and needs none.
        plain, counts = pathlib.Path(work, "sealring-server"), pathlib.Path(work, "counts")
        product.run("strip", "--strip-debug", "-o", str(plain), str(server))
        with _serving([plain], pathlib.Path(work, "data")):
            pass
        counting = ["valgrind", "--quiet", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={counts}"]
        with _serving([*counting, plain], pathlib.Path(work, "data")):
            pass
        found = names(counts.read_text(errors="replace"))
    # A start calls thousands; a handful means that the program has no symbols.
    if len(found) < 1000:
        raise product.PackagingError(f"valgrind names only {len(found)} functions that {server} calls; is it stripped?")
    return found


if __name__ == "__main__":
    try:
        print("\n".join(functions(sys.argv[1])))
    except product.PackagingError as error:
        sys.exit(f"scripts/package: {error}")
