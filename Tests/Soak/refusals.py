"""Databases that a server must not start on, and what it says. Each is made from one that it does start on."""

import contextlib
import os
import shutil
import sqlite3
import tempfile

from processes import Postgres, Server


def start(binary, data, database=None):
    """What the server says when it does not start: its exit code and standard error. None when it listens."""
    folder = tempfile.mkdtemp(prefix="sealring-refusal-")
    server = Server(binary, folder, "server", database)
    server.options[server.options.index("--data") + 1] = data
    try:
        server.begin()
        if server.finish_start(30):
            server.terminate()
            return None
        return server.process.returncode, server.log()
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def sqlite_cases(binary, folder):
    """(title, exit code and text)"""
    good = os.path.join(folder, "good")
    assert start(binary, good) is None, "a new folder is good"
    other = os.path.join(folder, "other")
    assert start(binary, other) is None

    def changed(title, change):
        place = os.path.join(folder, title.replace(" ", "-"))
        shutil.copytree(good, place)
        change(place, os.path.join(place, "sealring.sqlite"))
        return title, start(binary, place)

    def sql(*statements):
        def change(_, database):
            with contextlib.closing(sqlite3.connect(database)) as connection, connection:
                for statement in statements:
                    connection.execute(statement)
        return change

    def key_of_another(place, _):
        shutil.copy(os.path.join(other, "server.key"), os.path.join(place, "server.key"))

    def without_key(place, _):
        os.unlink(os.path.join(place, "server.key"))

    def torn(_, database):
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(database, "r+b") as file:
            file.write(b"torn" * 1024)

    return [
        changed("another server's key", key_of_another),
        changed("no key", without_key),
        changed("a newer schema", sql("INSERT INTO grdb_migrations (identifier) VALUES ('from the future')")),
        changed("a missing table", sql("DROP TABLE sessions")),
        changed("no ledger", sql("DROP TRIGGER evidence_ledger_is_kept", *NO_LEDGER)),
        changed("another ledger", sql("DROP TRIGGER evidence_ledger_is_kept", *NO_LEDGER, *NOTHING)),
        changed("a torn first page", torn),
    ]


def postgres_cases(binary, folder):
    postgres = Postgres(os.path.join(folder, "postgres"), "one").create()
    standby = Postgres(os.path.join(folder, "postgres"), "two")
    try:
        keys, cases = os.path.join(folder, "keys"), []

        def address(database, sockets=postgres.sockets, more=""):
            return f"postgres://postgres@/{database}?host={sockets}{more}"

        assert start(binary, keys, address("soak")) is None, "an empty database is good"

        def changed(title, *statements, data=keys):
            name = "case" + str(len(cases))
            postgres.psql(f"CREATE DATABASE {name} TEMPLATE soak", "postgres")
            for statement in statements:
                postgres.psql(statement.replace("THIS", name), name)
            cases.append((title, start(binary, data, address(name))))

        other = os.path.join(folder, "other-keys")
        postgres.psql("CREATE DATABASE other", "postgres")
        assert start(binary, other, address("other")) is None
        changed("another server's key", data=other)
        changed("a newer schema that has left this version behind", "UPDATE sealring_schema SET version = 1000, oldest = 1000")
        changed("a missing table", "DROP TABLE sessions")
        unstopped = "SET session_replication_role = replica; "
        changed("no ledger", unstopped + "; ".join(NO_LEDGER))
        changed("another ledger", unstopped + "; ".join(NO_LEDGER + NOTHING))
        changed("read-only", "ALTER DATABASE THIS SET default_transaction_read_only = on")
        changed("commits that are not durable", "ALTER DATABASE THIS SET synchronous_commit = off")
        cases.append(("no such database", start(binary, keys, address("nowhere"))))
        standby.follow(postgres)
        cases.append(("a replica", start(binary, keys, address("soak", standby.sockets))))
        return cases
    finally:
        standby.kill()
        postgres.kill()


# What somebody removes who has no key, so that a new ledger would be made.
NO_LEDGER = ["DELETE FROM evidence_ledger", "DELETE FROM server_secrets WHERE name = 'evidence ledger key'"]
NOTHING = ["DELETE FROM users", "DELETE FROM server_secrets", "DELETE FROM server_keys"]

# What the refusal has to name, so that an operator knows what to do.
WORDS = {
    "another server's key": "key", "no key": "server.key", "a newer schema": "newer", "a missing table": "sessions", "a torn first page": "sqlite",
    "a newer schema that has left this version behind": "newer", "read-only": "read-only", "commits that are not durable": "synchronous_commit",
    "no ledger": "ledger", "another ledger": "ledger.mark", "no such database": "nowhere", "a replica": "replica",
}
