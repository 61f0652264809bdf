"""Plays the pages' commands, each page against a server of its own."""

import tempfile
import unittest
import unittest.mock
from pathlib import Path

import pages
import sessions
from pages import ROOT


class Sessions(unittest.TestCase):
    maxDiff = None

    def test_what_the_pages_show_is_what_comes(self):
        played = [p for p in pages.marked_files() if any(b.mark == "run" for b in pages.blocks(p))]
        self.assertIn(ROOT / "README.md", played)
        self.assertIn(ROOT / "docs/tutorial.md", played)
        for page in played:
            with self.subTest(page.name):
                kept = page.stem if (sessions.TRANSCRIPTS / f"{page.stem}.txt").exists() else None
                self.assertEqual("\n".join(sessions.play(page, transcript=kept)), "")


class Player(unittest.TestCase):
    """The player finds what it is for."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=ROOT / ".build")
        self.addCleanup(folder.cleanup)
        self.page = Path(folder.name) / "x.md"
        kept = unittest.mock.patch.object(sessions, "TRANSCRIPTS", Path(folder.name))
        kept.start()
        self.addCleanup(kept.stop)

    def play(self, commands, update=False):
        self.page.write_text(f"<!-- run: x -->\n```sh\n{commands}\n```\n\n<!-- run: x on=packages -->\n```sh\nfalse\n```\n")
        return sessions.play(self.page, update, transcript="x")

    def test_a_changed_transcript_is_found_and_a_changed_identifier_is_none(self):
        self.assertEqual(self.play("echo CFD42651-6B5D-45DF-9E77-B9BBFF660AF8", update=True), [])
        self.assertNotIn("false", (self.page.parent / "x.txt").read_text())
        command = (self.page.parent / "x.txt").read_text().split("\n")[1].removeprefix("$ ")
        self.assertEqual(self.play(command), [])
        self.assertIn("x.txt is not what is printed", "".join(self.play("echo nothing")))

    def test_a_line_that_a_terminal_would_break_is_found(self):
        self.assertEqual(self.play("printf '%080d\\n' 0", update=True), [])
        self.assertIn("wider than 80 columns", "".join(self.play("printf '%081d\\n' 0", update=True)))


if __name__ == "__main__":
    unittest.main()
