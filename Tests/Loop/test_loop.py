"""Tests of what chooses tests, reports on them, and finds warnings.

    python3 -m unittest discover -s Tests/Loop
"""

import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import compiler_warnings
import durations
import modules
import run_tests

from manifest import Manifest


def target(path, *names, kind="regular"):
    return {
        "name": pathlib.Path(path).name, "type": kind, "path": path,
        "dependencies": [{"byName": [name, None]} for name in names]}


class Choosing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        manifest = Manifest({"products": [], "targets": [
            target("Sources/Core/Bytes"), target("Sources/Core/Files"),
            target("Sources/Formats/JOSE", "Bytes"), target("Sources/Server/Nodes", "JOSE", "Bytes"),
            target("Sources/Tools/Helper", "Nodes"), target("Sources/Tools/tool", "Helper", kind="executable"),
            target("Tests/Support/Fixtures", "Bytes"), target("Tests/Support/Host", "Nodes", kind="executable"),
            target("Tests/Core/CoreTests", "Files", "JOSE", "Bytes", kind="test"),
            target("Tests/Formats/JOSETests", "JOSE", "Bytes", "Fixtures", kind="test"),
            target("Tests/Server/NodesTests", "Nodes", "JOSE", "Bytes", kind="test"),
            target("Tests/Tools/WholeTests", "Bytes", kind="test"),
        ]}, folder.name)
        self.choice = modules.Choice(manifest, {"WholeTests": ["tool"], "NodesTests": ["Host"]})

    def chosen(self, *names):
        for name in names:
            self.choice.add(name)
        return self.choice.chosen

    def test_a_module_has_the_tests_of_its_name(self):
        self.assertEqual(self.chosen("JOSE"), ["JOSETests"])

    def test_a_module_without_such_has_those_of_its_layer(self):
        self.assertEqual(self.chosen("Bytes"), ["CoreTests"])

    def test_a_module_that_no_tests_declare_has_the_smallest_that_start_it(self):
        self.assertEqual(self.chosen("Helper"), ["WholeTests"])

    def test_a_fixture_has_the_tests_that_use_it(self):
        self.assertEqual(self.chosen("Tests/Support/Fixtures/Clock.swift"), ["JOSETests"])
        self.assertEqual(self.chosen("Host"), ["JOSETests", "NodesTests"])

    def test_a_file_stands_for_its_module(self):
        self.assertEqual(self.chosen("Sources/Formats/JOSE/JWS/JWS.swift", "Tests/Server/NodesTests/X.swift"), ["JOSETests", "NodesTests"])

    def test_a_file_outside_is_said(self):
        self.assertEqual(self.chosen("docs/README.md"), [])
        self.assertIn("In no target: docs/README.md.", list(self.choice.left_out()))

    def test_a_wrong_name_is_refused_with_what_is_near(self):
        with self.assertRaisesRegex(modules.Unknown, "no module 'Node'.*Near it: Nodes"):
            self.choice.add("Node")

    def test_dependents_are_the_tests_of_those_that_import_it(self):
        self.choice.add("JOSE")
        self.choice.add_dependents()
        self.assertEqual(self.choice.chosen, ["JOSETests", "NodesTests", "CoreTests"])

    def test_what_is_not_run_is_said(self):
        self.choice.add("JOSE")
        self.assertIn("Not run: 3 test targets that are made of JOSE", next(self.choice.left_out()))

    def test_programs_that_tests_start_are_read(self):
        text = 'let a = 1\nlet started = [\n  "ATests": ["tool", "tool-two"],\n  "BTests": ["Host"],\n]\nlet b = ["CTests": ["x"]]\n'
        self.assertEqual(modules.started(text), {"ATests": ["tool", "tool-two"], "BTests": ["Host"]})

    def test_the_package_has_such_programs(self):
        found = modules.started((pathlib.Path(__file__).parent.parent.parent / "Package.swift").read_text())
        self.assertIn("sealring", found["EndToEndTests"])


class Touched(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.git("init", "-q", "-b", "main")
        self.commit("old.swift")

    def git(self, *arguments):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self, name):
        (self.root / name).write_text("\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", name)

    def test_on_a_branch_all_that_is_not_on_main(self):
        self.git("checkout", "-q", "-b", "work")
        self.commit("committed.swift")
        (self.root / "new.swift").write_text("")
        (self.root / "old.swift").write_text("changed")
        self.assertEqual(modules.touched(self.root), ["committed.swift", "new.swift", "old.swift"])

    def test_on_main_what_is_not_pushed(self):
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.commit("committed.swift")
        self.assertEqual(modules.touched(self.root), ["committed.swift"])

    def test_on_main_without_another_what_is_not_committed(self):
        self.commit("committed.swift")
        (self.root / "new.swift").write_text("")
        self.assertEqual(modules.touched(self.root), ["new.swift"])


def event(kind, test, at):
    return json.dumps({"kind": "event", "payload": {"kind": kind, "testID": test, "instant": {"absolute": at}}})


class Reporting(unittest.TestCase):
    OUTPUT = [
        "◇ Test a() started.", '✘ Test "b" recorded an issue at B.swift:1:2: Expectation failed: x', "↳ more", "✔ Test a() passed after 9.0 seconds.",
        "✘ Suite S failed after 1 seconds with 1 issue.", "✘ Test run with 2 tests in 1 suites failed after 1 seconds with 1 issue.", "error: exit code 1"]

    def durations(self, events, names="abcde", width=2):
        tests = [json.dumps({"kind": "test", "payload": {"kind": "function", "id": f"M.S/{name}", "name": name}}) for name in names]
        return durations.Run(tests + [event(kind, f"M.S/{name}", at) for kind, name, at in events] + ['{"kind']).durations(width)

    def test_the_time_in_the_queue_does_not_count_for_cases(self):
        events = [("testStarted", "a", 0), ("testCaseStarted", "a", 10), ("testCaseEnded", "a", 12.5), ("testEnded", "a", 20)]
        self.assertEqual(self.durations(events), {"M: a": (2.5, 1)})

    def test_a_test_begins_when_one_before_it_ends(self):
        events = [("testStarted", name, 0) for name in "abcd"]
        events += [("testEnded", "a", 3), ("testEnded", "b", 4), ("testEnded", "d", 5), ("testEnded", "c", 13)]
        self.assertEqual(self.durations(events), {"M: a": (3, 1), "M: b": (4, 1), "M: c": (10, 1), "M: d": (1, 1)})

    def test_a_case_takes_the_place_that_it_began_at(self):
        events = [("testStarted", name, 0) for name in "abc"] + [("testCaseStarted", "b", 0), ("testEnded", "a", 3), ("testEnded", "c", 9)]
        events += [("testCaseStarted", "b", 3), ("testCaseEnded", "b", 5), ("testCaseEnded", "b", 6)]
        self.assertEqual(self.durations(events), {"M: a": (3, 1), "M: b": (8, 2), "M: c": (4, 1)})

    def test_what_was_ended_before_its_time_has_no_order(self):
        self.assertEqual(self.durations([("testStarted", "a", 1), ("testEnded", "a", 0.5), ("testEnded", "b", 2)]), {"M: a": (0, 1)})

    def test_what_hangs_is_what_has_begun_and_not_ended(self):
        tests = [json.dumps({"kind": "test", "payload": {"kind": "function", "id": f"M.S/{name}", "name": name}}) for name in "abcd"]
        events = [event("testStarted", f"M.S/{name}", at) for at, name in enumerate("abcd")]
        events += [event("testEnded", "M.S/a", 5), event("testCaseStarted", "M.S/d", 6)]
        self.assertEqual(durations.Run(tests + events).unfinished(), ["M: d", "M: b", "M: c"])

    def test_a_run_that_says_nothing_is_ended_with_all_that_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "tests.sh"
            program.write_text(f"#!/bin/sh\necho a line\nsleep 600 &\necho $! > {folder}/child\nwait\n")
            program.chmod(0o755)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), unittest.mock.patch.object(run_tests, "SILENCE", 1):
                code = run_tests.main([f"{folder}/output", str(program)])
            self.assertEqual(code, 128 + 9)
            self.assertIn("Nothing was printed for 1 seconds", printed.getvalue())
            child = pathlib.Path(f"/proc/{pathlib.Path(f'{folder}/child').read_text().strip()}/stat")
            self.assertTrue(not child.exists() or child.read_text().split()[2] == "Z")

    def test_the_slowest_come_first_and_cases_are_counted(self):
        lines = run_tests.slowest({"M: a()": (0.5, 1), "M: b()": (3.0, 4)}, 2)
        self.assertEqual([line.split("s  ")[-1] for line in lines[1:]], ["M: b() (4 cases)", "M: a()"])

    def test_failures_are_kept_and_passes_are_not(self):
        self.assertEqual(run_tests.failures(self.OUTPUT), [self.OUTPUT[1], self.OUTPUT[2]])

    def test_the_summary_is_the_runners(self):
        self.assertEqual(run_tests.summary(self.OUTPUT), self.OUTPUT[5])
        self.assertEqual(run_tests.summary(["Segmentation fault"]), "Segmentation fault")

    def test_a_failing_run_fails_and_its_last_line_is_the_summary(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "tests.sh"
            program.write_text("#!/bin/sh\n" + "\n".join(f"echo '{line}'" for line in self.OUTPUT) + "\nexit 1\n")
            program.chmod(0o755)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                code = run_tests.main(["--brief", f"{folder}/output", str(program)])
            self.assertEqual(code, 1)
            lines = printed.getvalue().splitlines()
            self.assertEqual(lines[0], "What failed:")
            self.assertEqual(lines[-1], self.OUTPUT[5])
            self.assertEqual(pathlib.Path(f"{folder}/output").read_text().splitlines(), self.OUTPUT)


class Warnings(unittest.TestCase):
    """With the real compiler: what a file with warnings leaves, and one without."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        made = self.root / "M.build"
        made.mkdir()
        (self.root / "bad.swift").write_text("func f() { let forgotten = 1 }\n")
        for name in ("good", "clean"):
            (self.root / f"{name}.swift").write_text(f"func {name}() {{}}\n")
        (made / "output-file-map.json").write_text(json.dumps({
            str(self.root / f"{name}.swift"): {"object": str(made / f"{name}.o"), "diagnostics": str(made / f"{name}.dia")}
            for name in ("bad", "good", "clean")}))

    def found(self):
        subprocess.run(
            ["swiftc", "-c", "-serialize-diagnostics", "-module-name", "M", "-output-file-map", "M.build/output-file-map.json",
             *(str(self.root / f"{name}.swift") for name in ("bad", "good", "clean"))], cwd=self.root, check=True, capture_output=True)
        return list(compiler_warnings.warned(self.root, ["M", "Absent"]))

    def test_a_warning_is_found_in_its_file(self):
        (source, messages), = self.found()
        self.assertTrue(source.endswith("bad.swift"))
        self.assertIn("'forgotten' was never used", " ".join(messages))

    def test_a_file_that_is_gone_warns_no_more(self):
        self.found()
        (self.root / "bad.swift").unlink()
        self.assertEqual(list(compiler_warnings.warned(self.root, ["M"])), [])

    def test_what_is_said_of_another_file_counts_there(self):
        self.found()
        (self.root / "M.build" / "good.dia").write_bytes((self.root / "M.build" / "bad.dia").read_bytes())
        (source, _), = compiler_warnings.warned(self.root, ["M"])
        self.assertTrue(source.endswith("bad.swift"))

    def test_no_build_is_not_a_build_without_warnings(self):
        with self.assertRaisesRegex(SystemExit, "no diagnostics in"):
            list(compiler_warnings.warned(self.root, ["Absent"]))


if __name__ == "__main__":
    unittest.main()
