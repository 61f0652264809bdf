"""The short form of scripts/soak: what breaks in a minute, with the binary in SEALRING_BINARY or the build's."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import checker
import history
import memory
import races
import soak
from workload import Party, Prober, Recorder, Refused, Workload, callback, digest, filled, outputs, read_state
from world import World, bad_disk_library

BINARY = os.environ.get("SEALRING_BINARY") or str(Path(__file__).resolve().parent.parent.parent / ".build/debug/sealring")


def run(*arguments):
    """Whether a run of scripts/soak explained everything, and what it printed."""
    text = io.StringIO()
    parser_arguments = ["run", *arguments, "--binary", BINARY, "--verbose", "--people", "4", "--pause", "0.2", "0.6"]
    with contextlib.redirect_stdout(text):
        explained = soak.main(parser_arguments)
    return explained, text.getvalue()


@unittest.skipUnless(shutil.which("setpriv"), "needs setpriv of util-linux")
class SoakTests(unittest.TestCase):
    def test_a_server_on_sqlite_is_killed_five_times_and_nothing_is_lost(self):
        explained, text = run("server-kill", "--times", "5")
        self.assertTrue(explained, text)
        self.assertIn("lost 0, doubled 0, reordered 0, undone 0, invented 0", text)

    def test_servers_and_their_postgresql_are_killed_and_nothing_is_lost(self):
        explained, text = run("server-kill", "database-kill", "--database", "postgres", "--servers", "2", "--times", "5")
        self.assertTrue(explained, text)

    def test_the_disk_fails_while_the_server_key_is_rotated_and_nothing_is_lost(self):
        explained, text = run("failing-disk", "key-rotation", "--times", "4", "--cut", "1", "--seed", "5")
        self.assertTrue(explained, text)

    @unittest.skipUnless(memory.is_possible(), "needs root and a control group for memory")
    def test_a_server_without_memory_is_ended_and_nothing_is_lost(self):
        explained, text = run("memory", "--times", "2")
        self.assertTrue(explained, text)
        self.assertIn("times that the kernel ended a server", text)


class BadDiskTests(unittest.TestCase):
    WRITES = "import os, sys; file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT); os.write(file, b'1'); os.fsync(file)"

    def test_what_is_below_the_folder_fails_for_as_long_as_it_is_told_to(self):
        with tempfile.TemporaryDirectory(prefix="sealring-soak-") as folder:
            state, below = os.path.join(folder, "disk-is"), os.path.join(folder, "database")
            os.mkdir(below)
            variables = {**os.environ, "LD_PRELOAD": bad_disk_library(folder), "BAD_DISK_FILE": state, "BAD_DISK_FOLDER": below}

            def trouble(place):
                """What writing a file there comes to."""
                return subprocess.run(
                    [sys.executable, "-c", self.WRITES, os.path.join(place, "file")], env=variables, capture_output=True, text=True).stderr

            self.assertEqual(trouble(below), "")
            with open(state, "w") as file:
                file.write("failing 100")
            self.assertIn("Input/output error", trouble(below))
            self.assertEqual(trouble(folder), "")
            os.unlink(state)
            self.assertEqual(trouble(below), "")


@unittest.skipUnless(shutil.which("setpriv"), "needs setpriv of util-linux")
class ClusterTests(unittest.TestCase):
    """Three servers on one PostgreSQL, made once."""

    @classmethod
    def setUpClass(cls):
        cls.world = World(BINARY, "postgres", 3, relay=True)
        cls.addClassCleanup(cls.world.close)

    def test_of_64_clients_with_one_answer_one_is_signed_in(self):
        wrong, codes = races.one_winner(self.world.servers, 20)
        self.assertEqual(wrong, [])
        self.assertEqual(codes, {200: 20, 401: 20 * 63})

    def test_64_clients_at_three_servers_have_five_guesses_together(self):
        events = [os.path.join(server.data, "events.jsonl") for server in self.world.servers]
        wrong, most = races.guesses(self.world.servers, events, 1)
        self.assertEqual(wrong, [])
        self.assertEqual(most, 5)

    def test_a_change_whose_acknowledgement_was_lost_is_not_refused_and_not_made_twice(self):
        signer = Signer(self)

        def swallow(tag):
            """Signs in while the database's next answer with this tag is lost; how the act ended."""
            self.world.relay.arm(tag)
            outcome = signer.sign(self.world.servers)
            self.assertTrue(self.world.relay.happened.wait(10), tag)
            return outcome

        # A signature is accepted in several statements, which end in COMMIT; a step is used up by one.
        outcomes = [swallow(tag) for tag in ("COMMIT", "INSERT 0 1") * 3]
        signer.check()
        self.assertNotIn("fail", outcomes)
        # Not each of them: what had certainly not been done is made again, and once in a while it is a clean-up that was hit.
        self.assertIn("unknown", outcomes)

    def test_a_server_that_stands_still_in_the_middle_of_a_proof_does_not_keep_the_others_waiting_for_good(self):
        signer = Signer(self)
        # The answer to the first half of a proof: from then on its transaction has the ledger's lock.
        self.world.relay.arm("BEGIN", "UPDATE 1", holds=True)
        stuck = threading.Thread(target=signer.sign, args=([self.world.servers[0]],))
        stuck.start()
        self.assertTrue(self.world.relay.happened.wait(30))
        self.assertEqual(signer.sign([self.world.servers[1]]), "ok")
        stuck.join(60)
        signer.check()


class Signer:
    """A person with one key, and a journal for what they do."""

    def __init__(self, test):
        self.test, folder = test, tempfile.mkdtemp(prefix="sealring-soak-")
        test.addCleanup(shutil.rmtree, folder)
        self.journal = history.Journal(os.path.join(folder, "journal.jsonl"))
        test.addCleanup(self.journal.close)
        self.workload = Workload(test.world.servers, self.journal, people=0)
        self.prober = Prober(self.workload)

    def sign(self, servers):
        """Signs in at any of these servers; how it ended."""
        party, key = Party(servers, 60), self.prober.key
        step = party.step("SignIn")
        jws = key.jws(key.sub, outputs(callback(step, "DeviceSigningVerifierCallback"))["challenge"])
        body, proof = filled(step, jws=jws, clientError=""), digest(jws)
        with contextlib.suppress(Refused):
            Recorder(party, self.journal).answer("sign", body, user=self.prober.user, kid=key.kid, proof=proof)
        return next(act.outcome for act in self.acts() if act["proof"] == proof)

    def acts(self):
        return history.acts_of(history.read(self.journal.path))

    def check(self):
        acts = self.acts()
        state = read_state(self.workload, acts)
        # The database has other tests' as well.
        state["ledger"] = [entry for entry in state["ledger"] if entry["device"] == self.prober.key.kid]
        self.test.assertEqual([str(each) for each in checker.check(acts, state)], [])


if __name__ == "__main__":
    unittest.main()
