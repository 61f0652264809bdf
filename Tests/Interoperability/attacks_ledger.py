"""Attacks on the server key and on the ledger, by somebody at the machine or the database: against servers of their own, on SQLite.

Imported by attacks.py, which plays them.
"""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time

from attack_tools import ALPHA, PASSWORD, Client, Key, Server, callback, outputs, scenario


@contextlib.contextmanager
def own_server(world):
    """A server with an account that has a bound key, and its folder."""
    place = Place(world.binary)
    try:
        place.start()
        place.admin = Client(place.server, "127.0.0.5")
        place.owner = Client(place.server, "127.0.0.10")
        place.name, place.key = place.admin.create(place.admin.administrator(), "owner"), Key()
        place.key.bind(place.owner, place.name)
        yield place
    finally:
        place.stop()
        shutil.rmtree(place.folder, ignore_errors=True)


class Place:
    def __init__(self, binary):
        self.binary, self.folder, self.server = binary, tempfile.mkdtemp(prefix="sealring-attack-"), None
        self.data = os.path.join(self.folder, "server")

    def start(self):
        self.server = Server(self.binary, data=self.folder)

    def stop(self):
        if self.server:
            self.server.close()
        self.server = None

    def run(self, *words):
        """(exit code, what was said)"""
        done = subprocess.run([self.binary, *words], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    def sql(self, *statements):
        """What somebody does who can write to the database and has no key."""
        with contextlib.closing(sqlite3.connect(os.path.join(self.data, "sealring.sqlite"), timeout=20)) as connection, connection:
            return [connection.execute(statement).fetchall() for statement in statements][-1]

    def rotate(self, *options):
        """The server key is rotated, and the earlier one retired."""
        earlier = self.sql("SELECT id FROM server_keys WHERE retired_at IS NULL")[0][0]
        for words in (["rotate"], ["retire", earlier, *options]):
            code, text = self.run("key", *words, "--data", self.data)
            assert code == 0, text

    def fails_to_start(self):
        """What it says."""
        try:
            done = subprocess.run(
                [self.binary, "serve", "--port", "0", "--data", self.data], capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None
        return done.stderr if done.returncode == 1 else None

    def export(self):
        path = os.path.join(self.folder, "ledger.jsonl")
        return path, self.run("audit", "export", "--data", self.data, "--force", path)


@scenario("A server stands still while its key is rotated and retired, and goes on writing")
def missed_rotation(world):
    with own_server(world) as place:
        assert place.key.sign_in(place.owner)
        step = place.owner.start("SignIn")
        challenge = outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"]
        jws, answers = place.key.jws(place.key.sub, challenge), []
        place.server.process.send_signal(19)
        # In place of half a minute, after which it counts as gone.
        place.sql("DELETE FROM server_key_holders")
        place.rotate()
        late = threading.Thread(target=lambda: answers.append(place.owner.answer(step, jws=jws, clientError="")[0]))
        late.start()
        time.sleep(0.3)
        place.server.process.send_signal(18)
        late.join(60)
        world.check(answers and answers[0] in (200, 401, 503), f"the late proof is answered ({answers})")
        world.check(place.key.sign_in(place.owner) is not None, "the key signs in afterwards")
        path, (code, text) = place.export()
        world.check(code == 0, f"the ledger goes on {'' if code == 0 else text}")
        world.check(place.run("audit", "verify", path)[0] == 0, "and verifies")


@scenario("Somebody without the server key removes the ledger, so that a new one is made")
def removed_ledger(world):
    removal = (
        "DROP TRIGGER evidence_is_not_deleted", "DROP TRIGGER evidence_ledger_is_kept", "DELETE FROM evidence", "DELETE FROM evidence_ledger",
        "DELETE FROM server_secrets WHERE name = 'evidence ledger key'")
    with own_server(world) as place:
        path, (code, _) = place.export()
        assert code == 0
        place.stop()
        place.sql(*removal)
        said = place.fails_to_start()
        world.check(said and "ledger" in said, "no server starts on what is left, and it says why")
        world.check(place.run("doctor", "--data", place.data)[0] == 1, "the doctor finds it")
        world.check(place.run("audit", "export", "--data", place.data, "--force", path + "2")[0] == 1, "nothing is exported")
        world.check(place.run("audit", "verify", path, "--data", place.data)[0] == 1, "no export is of the ledger that it had")
        # As a new database, in which a server makes a ledger.
        place.sql("DELETE FROM users", "DELETE FROM server_secrets", "DELETE FROM server_keys")
        said = place.fails_to_start()
        world.check(said and "ledger.mark" in said, "nor on an empty database in its place")


@scenario("A stolen server key that was retired signs backups")
def stolen_key_signs(world):
    with own_server(world) as place:
        private, old, new = (os.path.join(place.folder, name) for name in ("backup.key", "old.backup", "new.backup"))
        code, text = place.run("backup", "keygen", private)
        recipient = re.search(r"\S+", text.splitlines()[0])[0]
        fingerprints = []
        for path in (old, new):
            code, text = place.run("backup", "--data", place.data, "--output", path, "--recipient", recipient)
            assert code == 0, text
            fingerprints.append(re.search(r"fingerprint (\S+)", text)[1])
            if path == old:
                place.rotate("--stolen")
        world.check(fingerprints[0] != fingerprints[1], "a rotation changes what backups are signed with")

        def judged(path, fingerprint):
            return place.run("restore", path, "--check", "--identity", private, "--fingerprint", fingerprint)[0]

        world.check(judged(new, fingerprints[1]) == 0, "the new backup is the server's")
        world.check(judged(old, fingerprints[1]) != 0, "one that the stolen key signed is not")


@scenario("After a break-in a backup is restored, and what the thief stayed signed in by with it")
def restored_sessions(world):
    with own_server(world) as place:
        token = place.owner.password_sign_in(place.name, PASSWORD)
        assert token
        columns = [row[1] for row in place.sql("SELECT 1", "SELECT * FROM pragma_table_info('grants')")]
        values = {"realm_key": "alpha", "name_key": place.name, "realm": "alpha", "username": place.name, "id": "offline", "client_id": "app",
                  "account_id": "a", "password_version": 1, "details": "{}", "created_at": time.time(), "expires_at": time.time() + 9e6,
                  "ticket_expires_at": 0}
        given = [name for name in columns if name in values]
        place.sql(
            f"INSERT INTO grants ({', '.join(given)}, ticket_hash, refresh_hash) VALUES ("
            + ", ".join(repr(values[name]) for name in given) + ", x'00', x'01')")
        private, path, into = (os.path.join(place.folder, name) for name in ("backup.key", "a.backup", "restored"))
        code, text = place.run("backup", "keygen", private)
        recipient = re.search(r"\S+", text.splitlines()[0])[0]
        code, text = place.run("backup", "--data", place.data, "--output", path, "--recipient", recipient)
        assert code == 0, text
        code, text = place.run("restore", path, "--identity", private, "--into", into, "--any-server", "--end-sessions")
        assert code == 0, text
        place.stop()
        shutil.move(place.data, place.data + "-before")
        shutil.move(into, place.data)
        left = {table: place.sql(f"SELECT count(*) FROM {table}")[0][0] for table in ("sessions", "grants", "suspended_journeys")}
        world.check(not any(left.values()), f"no session and no offline grant is left ({left})")
        secrets = [name for (name,) in place.sql("SELECT name FROM server_secrets")]
        world.check(not any(name.startswith(("persistent cookies", "journey sealing")) for name in secrets),
                    "nor the keys of persistent cookies and open journeys")
        place.start()
        owner = Client(place.server, "127.0.0.10")
        status, answer, _ = owner.send("POST", f"{ALPHA}/sessions?_action=validate", {}, token)
        world.check(status != 200 or not answer.get("valid"), "the session is not valid on the restored server")
        world.check(place.key.sign_in(owner) is not None, "the owner signs in")
