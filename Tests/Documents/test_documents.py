"""What can be checked without running anything but the program's help: marks, links, the reference, the transcripts' width."""

import os
import re
import tempfile
import unittest
from pathlib import Path

import architecture
import compatibility
import links
import messages
import pages
import reference
import transcripts
from pages import ROOT

PROGRAM = Path(os.environ.get("SEALRING") or ROOT / ".build/debug/sealring")


def faults_of_marks(found: list[pages.Block]) -> list[str]:
    faults = []
    for block in found:
        if block.mark is None:
            if block.is_shell:
                faults.append(f"{block.place}: commands without a mark; docs/README.md says which there are")
        elif block.mark in ("run", "output"):
            if not block.session:
                faults.append(f"{block.place}: the mark names no session")
            unknown = set(block.options) - {"terminal", "until", "status", "on"}
            if unknown:
                faults.append(f"{block.place}: the mark has unknown words: {', '.join(sorted(unknown))}")
        elif block.mark == "not run" and len(block.session) < 5:
            faults.append(f"{block.place}: the mark gives no reason")
        elif block.mark == "tested by":
            test = ROOT / block.session
            if not test.is_file():
                faults.append(f"{block.place}: there is no {block.session}")
                continue
            text = test.read_text(encoding="utf-8")
            for command in {m[1] for line in block.lines if (m := re.match(r"\s*sealring ([a-z]+)", line))} - {"serve"}:
                if not re.search(rf"\b{command}\b", text):
                    faults.append(f"{block.place}: {block.session} does not run `sealring {command}`")
    return faults


class Documents(unittest.TestCase):
    maxDiff = None

    def test_every_block_of_commands_is_run_or_says_why_not(self):
        faults = [f for path in pages.marked_files() for f in faults_of_marks(pages.blocks(path))]
        self.assertEqual(faults, [])

    def test_commands_stand_in_fenced_blocks(self):
        """An indented block can have no mark."""
        faults = []
        for path in pages.marked_files():
            inside, before = False, ""
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if line.lstrip().startswith("```"):
                    inside = not inside
                elif not inside and before == "" and re.match(r"    (sealring|scripts/|swift|curl) ?", line):
                    faults.append(f"{path.relative_to(ROOT)}:{number}")
                before = line
        self.assertEqual(faults, [])

    def test_no_link_leads_nowhere(self):
        self.assertEqual(links.dead_links(), [])

    def test_the_code_of_the_app_is_the_example_s(self):
        example = [p.read_text(encoding="utf-8") for p in (ROOT / "Examples/App").rglob("*")
                   if p.is_file() and ".build" not in p.parts]
        shown = [b for b in pages.blocks(ROOT / "docs/your-app-on-linux.md") if not b.is_shell]
        self.assertEqual(len(shown), 5)
        for block in shown:
            self.assertTrue(any("\n".join(block.lines) in text for text in example), block.place)

    def test_the_index_names_every_page(self):
        index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
        missing = [p.name for p in (ROOT / "docs").glob("*.md") if p.name != "README.md" and f"]({p.name}" not in index]
        self.assertEqual(missing, [])

    def test_the_reference_of_commands_is_what_the_program_says(self):
        self.assertTrue(PROGRAM.exists(), f"There is no {PROGRAM}. Run 'swift build' first.")
        written = reference.PAGE.read_text(encoding="utf-8")
        self.assertTrue(written == reference.page(PROGRAM), "docs/reference/commands.md is stale. Run scripts/docs reference.")

    def test_the_page_of_compatibility_is_what_the_sources_say(self):
        written = compatibility.PAGE.read_text(encoding="utf-8")
        self.assertTrue(written == compatibility.page(), "docs/compatibility.md is stale. Run scripts/docs compatibility.")

    def test_the_page_of_compatibility_finds_what_is_there(self):
        types, own = compatibility.nodes()
        states = {row[1].partition("`")[2].partition("`")[0]: row[2] for row in types}
        self.assertEqual((states["DeviceBindingNode"], states["PageNode"], states["KerberosNode"]), ("works", "works", "unknown"))
        self.assertEqual([len(row) for row in types if len(row) != 4], [], "a row of nodes.txt has more than three columns")
        self.assertEqual(len(states), len(types), "nodes.txt has a type twice")
        self.assertIn("[`TransactionCollectorNode`](nodes.md#transactioncollectornode)", [row[0] for row in own])
        self.assertEqual(len(compatibility.library()), (ROOT / "docs/nodes.md").read_text(encoding="utf-8").count("\n## "))
        callbacks = {row[0]: row[1:] for row in compatibility.callbacks()}
        self.assertEqual(callbacks["`DeviceBindingCallback`"], ["nodes", "`DeviceBindingCallback` (PingBinding)"])
        self.assertEqual(callbacks["`RedirectCallback`"][0], "nodes, scripts")
        modules = {row[0]: row[2] for row in compatibility.modules()}
        self.assertEqual((modules["PingBinding"], modules["PingFido"], modules["PingDavinci"]), ("complete", "partial", "absent"))

    def test_the_page_of_the_architecture_names_what_is_in_the_sources(self):
        self.assertEqual(architecture.unknown(architecture.PAGE.read_text(encoding="utf-8")), [])

    def test_messages_in_troubleshooting_had_drifted_from_the_program(self):
        page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
        quotes = messages.quoted(page)
        self.assertGreater(len(quotes), 20)
        known = set(messages.codes())
        self.assertEqual([q for q in quotes if q not in known and not messages.is_said(q)], [])

    def test_the_table_of_codes_is_the_enumeration(self):
        page = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
        self.assertGreater(len(messages.codes()), 10)
        self.assertEqual(sorted(messages.codes_in(page)), sorted(messages.codes()))

    def test_the_version_is_the_products(self):
        source = (ROOT / "Sources/Core/ProductVersion/ProductVersion.swift").read_text(encoding="utf-8")
        version = re.search(r'text = "([^"]+)"', source)[1]
        faults = []
        for path in [*pages.marked_files(), *ROOT.glob("Sources/**/*.docc/*.md")]:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                for said in re.findall(r'/sealring\.git", from: "([^"]+)"|sealring(?:-server)?[_-](\d+\.\d+\.\d+)', line):
                    if "".join(said) != version:
                        faults.append(f"{path.relative_to(ROOT)}:{number}: {''.join(said)} is not {version}")
        self.assertEqual(faults, [])

    def test_transcripts_fit_a_terminal(self):
        wide = [
            f"{path.name}:{number}: {len(line)}"
            for path in (ROOT / "docs/transcripts").glob("*.txt")
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if len(line) > 80 and not line.startswith(("$ ", "> ", "--- "))
        ]
        self.assertEqual(wide, [])


class Checkers(unittest.TestCase):
    """The checkers find what they are for."""

    def faults(self, text: str) -> list[str]:
        return faults_of_marks(pages.blocks(ROOT / "docs/x.md", text))

    def test_a_block_without_a_mark_is_found(self):
        self.assertEqual(len(self.faults("```\nsealring serve\n```")), 1)
        self.assertEqual(len(self.faults("```sh\nls\n```")), 1)
        self.assertEqual(self.faults("```\nPOST /am\n```\n\n```swift\nlet a = 1\n```"), [])
        self.assertEqual(self.faults("<!-- run: x -->\n```sh\nls\n```"), [])

    def test_commands_of_root_have_a_prompt_of_their_own(self):
        text = "<!-- run: x terminal=root-log -->\n```console\n# id\n> -u\n0\n```\n\n<!-- run: x -->\n```console\n$ cat x\n# note\n```"
        root, person = pages.blocks(ROOT / "docs/x.md", text)
        self.assertEqual((pages.commands(root), pages.commands(person)), (["id\n-u"], ["cat x"]))

    def test_a_transcript_tells_identifiers_apart_and_keeps_its_columns(self):
        one, two = "CFD42651-6B5D-45DF-9E77-B9BBFF660AF8", "8BDE1B7E-A305-4EB3-9641-AF8B443FB9CB"
        lines = [f"key {one}", f"key {two}", f"again {one}.", "at 2026-11-22T11:00:26Z", "Time  1 minute 59 seconds left", "http://127.0.0.1:8080"]
        steady = transcripts.steady(lines)
        self.assertEqual(steady[0].removeprefix("key ") + ".", steady[2].removeprefix("again "))
        self.assertNotEqual(steady[0], steady[1])
        self.assertEqual([len(line) for line in steady[:4]], [len(line) for line in lines[:4]])
        self.assertEqual(steady[3:], ["at 2026-01-01T00:00:00Z", "Time  N minutes left", "http://127.0.0.1:8080"])
        self.assertEqual(transcripts.steady(steady), steady)

    def test_a_mark_must_be_true(self):
        self.assertEqual(len(self.faults("<!-- not run: -->\n```sh\nls\n```")), 1)
        self.assertEqual(len(self.faults("<!-- tested by: Tests/Nothing.swift -->\n```sh\nls\n```")), 1)
        self.assertEqual(len(self.faults("<!-- tested by: Tests/Documents/links.py -->\n```sh\nsealring bind\n```")), 1)
        self.assertEqual(len(self.faults("<!-- run: x until=a wait=3 -->\n```sh\nls\n```")), 1)

    def test_a_message_that_the_program_does_not_say_is_found(self):
        self.assertTrue(messages.is_said("the key is disabled for good"))
        self.assertTrue(messages.is_said("The server cannot listen on …: … Choose another"))
        for quote in ("the key is disabled for ever", "… cannot be heard on: …", "at first … There is no such realm"):
            self.assertFalse(messages.is_said(quote), quote)
        self.assertEqual(messages._literals('f("a \\(g("b", c)) d" + "e") // "no"\n"x"')[:1], ["a \x00 de"])
        self.assertEqual(messages.quoted("| Message | M | W |\n|---|---|---|\n| `a`, code `b` | `c` | `d` |"), ["a", "b"])

    def test_names_that_the_sources_do_not_have_are_found(self):
        text = (
            "`JourneyEngine.start`, `JourneyEngine.restart`, `sign(config:)`, `resign(config:)`, `DeviceTable<Record>`, `PolicyAddress`\n"
            "`Core/Bytes`, `Core/Letters`, `poll`, `serve --port`\n\n| Nothing | |\n|---|---|\n| CBOR, JOSA | |\n```\nNothingOfThis\n```\n"
        )
        self.assertEqual(architecture.unknown(text), ["Core/Letters", "JOSA", "PolicyAddress", "resign", "restart"])

    def test_dead_links_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "a.md"
            page.write_text("# A `b` c\n[1](a.md#a-b-c) [2](#nowhere) [3](none.md) [4](https://example.com) `[5](none.md)`\n")
            self.assertEqual(len(links.dead_links([page])), 2)

    def test_commands_of_several_lines_stay_together(self):
        [block] = pages.blocks(ROOT / "docs/x.md", "```console\n$ curl \\\n> --silent\nok\n$ ls\n```")
        self.assertEqual(pages.commands(block), ["curl \\\n--silent", "ls"])


if __name__ == "__main__":
    unittest.main()
