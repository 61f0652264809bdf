"""The scripts of Tests/Interoperability that know only HTTP, against three servers behind HAProxy, which sends each request to one of them at
random; they share a PostgreSQL with a synchronous standby through PgBouncer in transaction mode."""

import json
import os
import subprocess
import sys
from pathlib import Path

from processes import ADMINISTRATOR, HAProxy, free_port
from workload import ALPHA, Party
from world import World

PLACE = Path(__file__).resolve().parent.parent / "Interoperability"
BUILD = Path(__file__).resolve().parent.parent.parent / ".build"
SCRIPTS = {
    "binding_over_http.py": sys.executable, "oath_over_http.py": sys.executable, "push_over_http.py": sys.executable,
    # Its authenticators come from PyPI: scripts/bootstrap --test.
    "webauthn_over_http.py": str(BUILD / "test-python/bin/python"),
}
# A client of OpenID Connect, which is told in a file what it needs; its libraries come from PyPI, too.
OPENID = ("oidc_over_http.py", str(BUILD / "test-python-oidc/bin/python"))
PASSWORD = "Correct horse battery 1"


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


def clients(binary, scratch, listening):
    """`--oidc-clients`, and what the script has to know of the clients."""
    file, known = os.path.join(scratch, "clients.json"), {}
    for kind, options in (
            ("public", ["--public", "--scope", "openid profile offline_access"]),
            ("confidential", ["--scope", "openid profile email offline_access am-introspect-all-tokens",
                              "--backchannel-logout", f"http://127.0.0.1:{listening}/logout"])):
        redirect = f"https://{kind}.example.com/callback"
        added = subprocess.run(
            [binary, "oidc", "client", "add", kind, "--file", file, "--redirect", redirect, "--no-consent", "--json", *options],
            capture_output=True, text=True, check=True)
        known[kind] = {**json.loads(added.stdout), "redirect_uri": redirect}
    return file, known


def behind_haproxy(binary, body, scratch, options=()):
    """Runs `body` with the world and the proxy's address."""
    port = free_port()
    # Where clients find the servers, and so where WebAuthn's take part.
    options = ["--journeys", journeys(scratch), "--trusted-proxy", "127.0.0.1/32", "--public-url", f"http://localhost:{port}/am",
               "--factor-changes", "any", *options]
    world = World(binary, "postgres", 3, standby=True, pooler=True, options=options)
    try:
        proxy = HAProxy(world.folder, world.servers, port).start()
        world.programs.append(proxy)
        return body(world, f"http://127.0.0.1:{proxy.port}/am")
    finally:
        world.close()


def run(argument, name, python):
    """Exit code and output of a script."""
    if not os.access(python, os.X_OK):
        return None, f"skipped: {python} is missing; scripts/bootstrap --test makes it"
    done = subprocess.run(
        [python, str(PLACE / name), argument], capture_output=True, text=True, timeout=600,
        env={**os.environ, "SEALRING_ADMIN_PASSWORD": ADMINISTRATOR, "PYTHONDONTWRITEBYTECODE": "1"})
    return done.returncode, done.stdout + done.stderr


def all_scripts(binary, scratch, say=print):
    """The scripts that found something, with what they said."""
    listening = free_port()
    file, known = clients(binary, os.path.dirname(scratch), listening)

    def openid(party, address):
        """The settings of the script, whose person there is now."""
        issuer = address.replace("127.0.0.1", "localhost") + "/oauth2/realms/root/realms/alpha"
        person = {"username": "mira", "userpassword": PASSWORD, "mail": []}
        status, answer, _ = party.send("POST", f"{ALPHA}/users?_action=create", person, party.administrator())
        assert status == 201, answer
        settings = os.path.join(os.path.dirname(scratch), "openid.json")
        Path(settings).write_text(json.dumps({
            "issuer": issuer, "base": address, "realm": "alpha", "username": "mira", "password": PASSWORD,
            "logout": {"listen": listening}, **known}))
        return settings

    def body(world, address):
        failed = {}
        for name, python in [*SCRIPTS.items(), OPENID]:
            argument = openid(Party(world.servers), address) if name == OPENID[0] else address
            code, text = run(argument, name, python)
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
    return behind_haproxy(binary, body, scratch, ["--oidc-clients", file])
