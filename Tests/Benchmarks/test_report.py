"""What scripts/bench makes of the figures that the benchmark programs print."""
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Benchmarks/report"))

import flamegraph  # noqa: E402
import performance  # noqa: E402
import programs  # noqa: E402

THRESHOLDS = json.loads((ROOT / "Benchmarks/thresholds.json").read_text())


def emitted():
    """Names of figures in the programs, with `.*` for what is put in while they run."""
    text = "\n".join(path.read_text() for path in (ROOT / "Benchmarks").rglob("*.swift") if ".build" not in path.parts)
    text += (ROOT / "Benchmarks/report/programs.py").read_text() + (ROOT / "Benchmarks/report/bench.py").read_text()
    names = [match.group(1) for match in re.finditer(r'"((?:[a-z0-9-]|\\\([^")]*\))+)"', text)]
    return [re.compile(re.sub(r"\\\([^)]*\)", "[a-z0-9-]*", name) + "$") for name in names]


class Thresholds(unittest.TestCase):
    def test_every_figure_that_is_judged_is_one_that_a_program_prints(self):
        known = emitted()
        judged = [bar["figure"] for bar in THRESHOLDS["bars"]] + list(THRESHOLDS["quick"])
        # Printed with a prefix that the program puts before all of its names.
        plain = [name.removeprefix("postgres-device-").removeprefix("postgres-") for name in judged]
        self.assertEqual([name for name in plain if not any(each.match(name) for each in known)], [])

    def test_a_bar_has_one_side_and_its_goal_is_beyond_it(self):
        for bar in THRESHOLDS["bars"]:
            self.assertNotEqual("least" in bar, "most" in bar, bar["measure"])
            beyond = bar["goal"] > bar["least"] if "least" in bar else bar["goal"] < bar["most"]
            self.assertTrue(beyond, bar["measure"])


class Figures(unittest.TestCase):
    def test_lines_that_are_no_figures_are_passed_over(self):
        text = 'listening\n{"name":"a","value":1.5,"unit":"ms"}\n{"other":1}\n'
        self.assertEqual(programs.figures(text), {"a": (1.5, "ms")})

    def test_shares_are_turned_into_the_direction_of_their_bar(self):
        found = programs.derived({"sign-in-server-cpu-bare-to-sealring": (0.5, "ratio"), "audit-verify": (10.0, "s"),
                                  "p256-import-verify-all": (9.0, "s")})
        self.assertEqual(found["sign-in-cpu-in-bare"][0], 2)
        self.assertAlmostEqual(found["audit-verify-of-raw"][0], 0.9)


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(ROOT / "docs/performance.md", self.folder / "performance.md")
        for name, value in [("PAGE", self.folder / "performance.md"), ("IMAGES", self.folder / "images")]:
            self.addCleanup(setattr, performance, name, getattr(performance, name))
            setattr(performance, name, value)

    def judged(self, value):
        return [(bar, value, True, False) for bar in THRESHOLDS["bars"]]

    def test_every_place_of_the_page_is_filled_and_can_be_filled_again(self):
        found = {"sign-in-bare": (3000.0, "sign-ins/s"), "sign-in-sealring": (2500.0, "sign-ins/s"),
                 "jws-sign": (16.0, "us"), "p256-sign": (15.5, "us"), "jws-sign-of-raw": (0.97, "ratio")}
        about = {"date": "2026-11-23", "processors": 2, "model": "X", "commit": "abc", "load": 0.1}
        performance.write(found, about, self.judged(0.5))
        once = performance.PAGE.read_text()
        self.assertIn("3,000", once)
        self.assertIn("| JWS sign, beside P-256 | 15.5 µs | 16.0 µs | 0.97 |", once)
        self.assertEqual(once.count("<!-- figures: "), once.count("<!-- end -->"))
        performance.write(found, about, self.judged(0.5))
        self.assertEqual(performance.PAGE.read_text(), once)
        self.assertIn("<svg", (performance.IMAGES / "performance-rates.svg").read_text())

    def test_what_was_not_measured_is_said(self):
        performance.write({}, {}, [(bar, None, False, False) for bar in THRESHOLDS["bars"]])
        self.assertEqual(performance.PAGE.read_text().count("| not measured |"), len(THRESHOLDS["bars"]))


class FlameGraph(unittest.TestCase):
    def test_a_frame_is_as_wide_as_its_share_and_what_is_rare_is_left_out(self):
        stacks = [("task", [("f", "x"), ("g", "x")])] * 750 + [("task", [("f", "x"), ("h", "x")])] * 249 + [("t", [("rare", "kernel")])]
        drawn = flamegraph.draw(flamegraph.tree(stacks), "T & U", width=1000)
        self.assertIn("g: 75.0 %", drawn)
        self.assertIn('width="750.0"', drawn)
        self.assertIn("T &amp; U", drawn)
        self.assertNotIn("rare", drawn)


if __name__ == "__main__":
    unittest.main()
