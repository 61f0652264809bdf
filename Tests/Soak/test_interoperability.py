"""Tests/Interoperability against three servers behind HAProxy, with PgBouncer and a synchronous standby."""

import os
import shutil
import tempfile
import unittest

import interoperability
from test_soak import BINARY


@unittest.skipUnless(shutil.which("haproxy", path="/usr/sbin:/usr/bin"), "needs haproxy: scripts/bootstrap --test")
class InteroperabilityTests(unittest.TestCase):
    maxDiff = None
    def test_scripts_that_know_only_http_find_three_servers_behind_haproxy_to_be_one(self):
        scratch = tempfile.mkdtemp(prefix="sealring-soak-")
        self.addCleanup(shutil.rmtree, scratch, True)
        said = []
        failed = interoperability.all_scripts(BINARY, os.path.join(scratch, "journeys"), said.append)
        self.assertEqual(failed, {}, "\n".join(said))


if __name__ == "__main__":
    unittest.main()
