"""Compares the fuzzing targets with the program, with docs/fuzzing.md, and with what reads bytes from outside in Sources.

    python3 -m unittest discover -s Tests/Fuzzing
"""

import base64
import pathlib
import re
import unittest

import fuzz
import seeds

ROOT = fuzz.ROOT
PAGE = (ROOT / "docs/fuzzing.md").read_text()

#: The declaration of something that reads: a text or bytes in, a value or a refusal out.
READER = re.compile(
    r"^\s*(?:(?:public|package|internal)\s+)?(?:static func (?:parse|decode|decodePrefix)\(|"
    r"init\??\((?:parsing|decoding|compact|wire|der|blob|authorization|verifying|line)(?: \w+)?: (?!Int\b))", re.MULTILINE)


def rows(heading):
    """The cells of the table below a heading, without its head."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def code(cell):
    return re.findall(r"`([^`]+)`", cell)


class Targets(unittest.TestCase):
    def test_each_file_is_in_the_program_under_its_name(self):
        listed = re.findall(r'"([a-z0-9-]+)": \.(\w+)', (fuzz.HERE / "Program/FuzzTarget+All.swift").read_text())
        self.assertEqual([name for name, _ in listed], fuzz.targets())
        for name, member in listed:
            text = (fuzz.HERE / f"Targets/{name}.swift").read_text()
            self.assertEqual(re.findall(r"static let (\w+) = FuzzTarget\b", text), [member], name)

    def test_the_page_has_each_target_once(self):
        named = [name for row in rows("What is read, and by which target") for name in code(row[2])]
        self.assertEqual(sorted(named), fuzz.targets())

    def test_what_the_page_names_is_there(self):
        stems = {file.stem for file in (ROOT / "Sources").rglob("*.swift")}
        named = [name for row in rows("What is read, and by which target") for name in code(row[1])]
        self.assertEqual([name for name in named if name not in stems], [])

    def test_everything_that_reads_is_on_the_page(self):
        named = {name for row in rows("What is read, and by which target") for name in code(row[1])}
        named |= {name for row in rows("What has no target of its own") for name in code(row[0])}
        readers = {file.stem for file in (ROOT / "Sources").rglob("*.swift") if READER.search(file.read_text())}
        self.assertGreater(len(readers), 40)
        self.assertEqual(sorted(readers - named), [], "add a target, or a reason to docs/fuzzing.md")

    def test_borrowed_files_are_there(self):
        self.assertEqual([str(file) for file in fuzz.borrowed() if not file.exists()], [])


class Inputs(unittest.TestCase):
    def test_seeds_dictionaries_and_corpora_belong_to_targets(self):
        names = set(fuzz.targets())
        self.assertLessEqual(set(seeds.seeds()), names)
        self.assertLessEqual({file.stem for file in (fuzz.HERE / "dictionaries").glob("*")}, names)
        self.assertLessEqual({file.stem for file in (fuzz.HERE / "corpus").glob("*")}, names)

    def test_a_dictionary_holds_words_that_libFuzzer_reads(self):
        for file in (fuzz.HERE / "dictionaries").glob("*.dict"):
            for line in file.read_text().splitlines():
                self.assertRegex(line, r'^"(?:[ !#-\[\]-~]|\\x[0-9A-F]{2})+"$', file.name)

    def test_a_corpus_is_small(self):
        total = 0
        for file in (fuzz.HERE / "corpus").glob("*.txt"):
            inputs = [base64.b64decode(line, validate=True) for line in file.read_text().splitlines()]
            self.assertLessEqual(len(inputs), fuzz.KEPT_INPUTS, file.name)
            self.assertLessEqual(max(map(len, inputs), default=0), fuzz.KEPT_INPUT_BYTES, file.name)
            self.assertLessEqual(sum(map(len, inputs)), fuzz.KEPT_BYTES, file.name)
            total += file.stat().st_size
        self.assertLess(total, 1 << 20)


if __name__ == "__main__":
    unittest.main()
