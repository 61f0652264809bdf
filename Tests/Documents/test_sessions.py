"""Plays the pages' commands, each page against a server of its own."""

import unittest

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


if __name__ == "__main__":
    unittest.main()
