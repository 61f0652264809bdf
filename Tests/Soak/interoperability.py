"""The scripts of Tests/Interoperability that know only HTTP, against three servers behind HAProxy, which sends each request to one of them at
random; they share a PostgreSQL with a synchronous standby through PgBouncer in transaction mode."""

import os
import subprocess
import sys
from pathlib import Path

from processes import ADMINISTRATOR, HAProxy, free_port
from workload import ALPHA, Party
from world import World

PLACE = Path(__file__).resolve().parent.parent / "Interoperability"
PYTHON = Path(__file__).resolve().parent.parent.parent / ".build/test-python/bin/python"
SCRIPTS = {
    "binding_over_http.py": sys.executable, "oath_over_http.py": sys.executable, "push_over_http.py": sys.executable,
    # Its authenticators come from PyPI: scripts/bootstrap --test.
    "webauthn_over_http.py": str(PYTHON),
}


def journeys(folder):
    """`--journeys` with TouchSignIn: the bundled WebAuthnSignIn for authenticators that verify nobody."""
    text = (PLACE.parent.parent / "journeys/WebAuthnSignIn.journey.json").read_text()
    for old, new in (('"_id": "WebAuthnSignIn"', '"_id": "TouchSignIn"'),
                     ('"userVerificationRequirement": "REQUIRED"', '"userVerificationRequirement": "PREFERRED"')):
        assert old in text, old
        text = text.replace(old, new)
    realm = os.path.join(folder, "alpha")
    os.makedirs(realm)
    Path(realm, "TouchSignIn.journey.json").write_text(text)
    return folder


def behind_haproxy(binary, body, scratch):
    """Runs `body` with the world and the proxy's address."""
    port = free_port()
    # Where clients find the servers, and so where WebAuthn's take part.
    options = ["--journeys", journeys(scratch), "--trusted-proxy", "127.0.0.1/32", "--public-url", f"http://localhost:{port}/am"]
    world = World(binary, "postgres", 3, standby=True, pooler=True, options=options)
    try:
        proxy = HAProxy(world.folder, world.servers, port).start()
        world.programs.append(proxy)
        return body(world, f"http://127.0.0.1:{proxy.port}/am")
    finally:
        world.close()


def run(address, name, python):
    """Exit code and output of a script."""
    if not os.access(python, os.X_OK):
        return None, f"skipped: {python} is missing; scripts/bootstrap --test makes it"
    done = subprocess.run(
        [python, str(PLACE / name), address], capture_output=True, text=True, timeout=600,
        env={**os.environ, "SEALRING_ADMIN_PASSWORD": ADMINISTRATOR, "PYTHONDONTWRITEBYTECODE": "1"})
    return done.returncode, done.stdout + done.stderr


def all_scripts(binary, scratch, say=print):
    """The scripts that found something, with what they said."""
    def body(world, address):
        failed = {}
        for name, python in SCRIPTS.items():
            code, text = run(address, name, python)
            lines = text.strip().split("\n")
            wrong = [line for line in lines if line.startswith("FAIL")]
            say(f"  {name}: {lines[-1]} ({sum(line.startswith('ok') for line in lines)} ok, {len(wrong)} not)")
            # The scripts use the same names.
            party = Party(world.servers)
            for user in ("mira", "rosa"):
                party.send("DELETE", f"{ALPHA}/users/{user}", token=party.administrator())
            if code is not None and (code != 0 or wrong or lines[-1] != "all checks passed"):
                failed[name] = "\n".join(wrong or lines[-5:])
        return failed
    return behind_haproxy(binary, body, scratch)
