"""Tests of check_api.py: it has to find each thing that is changed in a small module, and nothing in the module as it was.

    python3 -m unittest discover -s Tests/API
"""

import contextlib
import io
import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import check_api
from swift_declarations import Unreadable, declaration, read_line

FACTS = """
# A comment.
Bell                          class      : Ringing, Sendable
Bell.init(tone:times:)        init       (String, Int = 3)
Bell.ring(_:with:)            func       (@escaping (Int) -> Void, [String: Any]?) async throws -> Result<Bool, Error>
Bell.peal()                   func       discardable () -> Int
Bell.tone                     var        String get set
Bell.times                    var        Int get set = 3
Bell.standard                 static var  Bell get
Ringing                       protocol   : Sendable
Ringing.tone                  var        String get
Striking                      protocol
Striking.strike()             func       () -> Void
Open                          class      open
Open.count()                  func       open () -> Int
Weight                        enum       : RawRepresentable<String>, Codable
Weight.light                  case       = "LIGHT"
Weight.heavy                  case       = "heavy"
Failure                       enum       : Error
Failure.broken(_:_:)          case       (String, Error?)
Stage                         class      main-actor
Stage.play()                  func       () -> Void
Names                         struct
Names.first                   static var  String get = "first"
Bell.==(_:_:)                 static func  (Bell, Bell) -> Bool
"""
SWIFT = """
public final class Bell: Ringing, Equatable, @unchecked Sendable {
  public var tone: String
  public var times: Int = 3
  public static var standard: Bell { fatalError() }
  public init(tone: String, times: Int = 3) { self.tone = tone }
  public func ring(_ done: @escaping (Int) -> Void, with more: [String: Any]?) async throws -> Result<Bool, any Error> { .success(true) }
  @discardableResult public func peal() -> Int { times }
  public static func == (left: Bell, right: Bell) -> Bool { left === right }
}
public protocol Ringing: Sendable {
  var tone: String { get }
}
public protocol Striking {
  func strike()
}
open class Open {
  open func count() -> Int { 1 }
}
public enum Weight: String, Codable {
  case light = "LIGHT"
  case heavy
}
public enum Failure: Error {
  case broken(String, (any Error)?)
}
@MainActor public final class Stage {
  public func play() {}
}
public typealias Count = Int
public typealias Sound = String
public enum Names {
  public static let first = "first"
}
"""
# What is written in place of what, and what has to be found.
MUTATIONS = [
    ("public init(tone: String, times: Int = 3)", "public init(sound tone: String, times: Int = 3)", "Bell.init(tone:times:)  is absent"),
    ("times: Int = 3) {", "times: Int = 4) {", "Bell.init(tone:times:)  defaults to 4 for 3"),
    ("times: Int = 3) {", "times: Int) {", "Bell.init(tone:times:)  has no default for Int = 3"),
    ("public init(tone: String, times: Int = 3)", "public init(tone: String) { self.tone = tone }\n  public init(tone: String, times: Int)", None),
    ("async throws -> Result<Bool, any Error>", "throws -> Result<Bool, any Error>", "Bell.ring(_:with:)  is not async"),
    ("async throws -> Result<Bool, any Error>", "async -> Result<Bool, any Error>", "Bell.ring(_:with:)  does not throw"),
    ("-> Result<Bool, any Error> {", "-> Result<Bool, Failure> {", "Bell.ring(_:with:)  returns Result<Bool, Failure> for Result<Bool, Error>"),
    ("done: @escaping (Int)", "done: @escaping @Sendable (Int)", "Bell.ring(_:with:)  takes @escaping @Sendable (Int) -> Void"),
    ("@discardableResult public", "@MainActor @discardableResult public", "Bell.peal()  is isolated to the main actor"),
    ("@discardableResult ", "", "Bell.peal()  is not discardable"),
    ("public var tone: String\n", "public let tone: String\n", "Bell.tone  cannot be set"),
    ("var times: Int = 3", "var times: Int = 5", "Bell.times  begins with 5 for 3"),
    ("var times: Int = 3", "var times: Int { get { 3 } set {} }", "Bell.times  begins with a value that its declaration does not show"),
    ("public static var standard", "public var standard", "Bell.standard  is not a static var: var"),
    ("func strike()", "func strike()\n  func swing()", "Striking.swing()  is a requirement more"),
    ("open class Open", "public class Open", "Open  is not open"),
    ("open func count", "public func count", "Open.count()  is not open"),
    ('= "LIGHT"', '= "SLIGHT"', 'Weight.light  begins with "SLIGHT" for "LIGHT"'),
    ("case heavy", "case heavy\n  case huge", "Weight.huge  is a case more"),
    ("case heavy", 'case heavy = "HEAVY"', 'Weight.heavy  begins with "HEAVY" for "heavy"'),
    ("Weight: String, Codable", "Weight: String", "Weight  is no Codable"),
    ("case broken(String, (any Error)?)", "case broken(String, any Error)", "Failure.broken(_:_:)  takes Error for Error?"),
    ("public static let first", "static let first", "Names.first  is absent"),
    ("public enum Names", "enum Names", "Names  is absent"),
    # What callers do not notice.
    ("public func peal() -> Int", "public func peal() -> Count", None),
    ("var tone: String { get }", "var tone: Sound { get }", None),
    ("times: Int = 3) {", "times: Int = 3, loud: Bool = false) {", None),
    ("with more: [String: Any]?", "with others: [String: Any]?", None),
    ("public enum Names", "public struct Names", None),
    ("public func peal", "public func more() {}\n  @discardableResult public func peal", None),
]


def graph(folder, name, source):
    """The symbol graph of a module of one file, which stays where check_api looks for sources."""
    sources = folder / "Sources" / "Core" / name
    sources.mkdir(parents=True)
    (sources / "Source.swift").write_text(source)
    modules, graphs = folder / "modules", folder / "graphs"
    modules.mkdir(exist_ok=True)
    graphs.mkdir(exist_ok=True)
    subprocess.run(
        ["swiftc", "-emit-module", "-module-name", name, "-emit-module-path", modules / f"{name}.swiftmodule", "-parse-as-library",
         "-swift-version", "5", "-suppress-warnings", sources / "Source.swift"], check=True)
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", name, "-I", modules, "-target", f"{platform.machine()}-unknown-linux-gnu",
         "-output-dir", graphs, "-minimum-access-level", "public", "-skip-synthesized-members"], check=True)


def run(folder, facts, reasons=""):
    """The exit code and the output of a comparison."""
    (folder / "reasons.txt").write_text(reasons)
    (folder / "facts").mkdir(exist_ok=True)
    for name, text in facts.items():
        (folder / "facts" / f"{name}.txt").write_text(text)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        code = check_api.check(folder / "facts", folder / "graphs", None, folder / "reasons.txt", folder, only=None)
    return code, output.getvalue()


class Differences(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        graph(cls.folder, "Bells", SWIFT)
        (cls.folder / "page.md").write_text("Bells are cast\nin bronze here.")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def outcome(self, facts=FACTS, reasons=""):
        for file in (self.folder / "facts").glob("*.txt") if (self.folder / "facts").is_dir() else ():
            file.unlink()
        return run(self.folder, {"Bells": facts}, reasons)

    def test_a_module_that_has_all_facts_passes(self):
        code, output = self.outcome()
        self.assertEqual((code, output.strip().splitlines()[-1]), (0, "23 declarations in 1 modules: 0 differ without a reason, 0 reasons are wrong."), output)

    def test_a_declaration_that_is_new_in_the_facts_is_absent(self):
        code, output = self.outcome(FACTS + "Bell.toll(times:)  func  (Int) -> Void\n")
        self.assertEqual(code, 1)
        self.assertIn("Bells  Bell.toll(times:)  is absent: func (Int) -> Void", output)

    def test_a_difference_with_a_reason_passes(self):
        code, output = self.outcome(
            FACTS + "Bell.toll()  func  () -> Void\n", "@ page.md: Bells are cast in bronze\nBells  Bell.toll()  is absent: func () -> Void\n")
        self.assertEqual(code, 0, output)

    def test_a_reason_for_one_difference_does_not_excuse_the_next_of_the_same_name(self):
        code, output = self.outcome(
            FACTS.replace("Int = 3)", "Int = 9)"), "@ page.md: Bells are cast in bronze\nBells  Bell.init(tone:times:)  defaults to 3 for 8\n")
        self.assertEqual(code, 1)
        self.assertIn("defaults to 3 for 9", output)

    def test_a_reason_that_is_no_longer_needed_fails(self):
        code, output = self.outcome(reasons="@ page.md: Bells are cast in bronze\nBells  Bell.toll()  is absent: func () -> Void\n")
        self.assertEqual(code, 1)
        self.assertIn("no longer needed: Bells  Bell.toll()", output)

    def test_a_reason_whose_sentence_is_not_in_the_page_fails(self):
        code, output = self.outcome(
            FACTS + "Bell.toll()  func  () -> Void\n", "@ page.md: Bells are cast in iron\nBells  Bell.toll()  is absent: func () -> Void\n")
        self.assertEqual(code, 1)
        self.assertIn("page.md does not say: Bells are cast in iron", output)

    def test_a_reason_without_a_sentence_or_with_a_page_that_is_not_there_fails(self):
        for reasons in ("Bells  Bell.toll()  is absent: func () -> Void\n", "@ pages.md: Bells are cast in bronze\n", "@ page.md: Bells\n"):
            self.assertEqual(self.outcome(reasons=reasons)[0], 1, reasons)

    def test_a_reason_for_an_unknown_module_fails(self):
        code, output = self.outcome(reasons="@ page.md: Bells are cast in bronze\nGongs  Gong  is absent: class\n")
        self.assertEqual(code, 1)
        self.assertIn("Gongs", output)

    def test_a_module_that_is_not_built_is_absent_as_a_whole(self):
        self.outcome()
        code, output = run(self.folder, {"Gongs": "Gong  class\n"})
        self.assertEqual(code, 1)
        self.assertIn("Gongs  *  is absent: 1 declarations", output)
        reason = "@ page.md: Bells are cast in bronze\nGongs  *  is absent\n"
        self.assertEqual(run(self.folder, {}, reason)[0], 0)
        self.assertEqual(run(self.folder, {}, reason + "Gongs  Gong.hit()  is absent: func () -> Void\n")[0], 1)

    def test_a_published_module_without_facts_fails(self):
        manifest = self.folder / "Package.swift"
        self.addCleanup(manifest.unlink)
        manifest.write_text('  products: [\n    // The published modules.\n    "Bells",\n    "FRAuth",\n    // Others.\n    "Clock",\n')
        self.assertEqual(self.outcome()[0], 0)
        manifest.write_text('  products: [\n    // The published modules.\n    "Bells", "Gongs",\n    // Others.\n    "Clock",\n')
        code, output = self.outcome()
        self.assertEqual(code, 1)
        self.assertIn("Gongs is a published module and has no facts", output)
        self.assertNotIn("Clock", output)

    def test_a_module_that_has_begun_may_lack_the_rest_but_not_differ(self):
        reasons = "@ page.md: Bells are cast in bronze\nBells  *  is absent\n"
        self.assertEqual(self.outcome(FACTS + "Gong  class\n", reasons)[0], 0)
        code, output = self.outcome(FACTS.replace("Int = 3)", "Int = 9)") + "Gong  class\n", reasons)
        self.assertEqual(code, 1)
        self.assertIn("defaults to 3 for 9", output)
        # As soon as it is whole, the reason has to go.
        self.assertIn("no longer needed", self.outcome(reasons=reasons)[1])


class Mutations(unittest.TestCase):
    def test_each_change_is_found_and_what_callers_do_not_notice_is_not(self):
        with tempfile.TemporaryDirectory() as temporary:
            for number, (old, new, expected) in enumerate(MUTATIONS):
                folder = pathlib.Path(temporary) / str(number)
                self.assertEqual(SWIFT.count(old), 1, old)
                graph(folder, "Bells", SWIFT.replace(old, new))
                code, output = run(folder, {"Bells": FACTS})
                if expected:
                    self.assertIn(f"  Bells  {expected}", output, f"{old} -> {new}")
                    self.assertEqual(code, 1)
                else:
                    self.assertEqual(code, 0, output)


class Reading(unittest.TestCase):
    def test_a_line_of_facts_is_read_as_it_was_written(self):
        for text, path in (
            ("public static func of<T: Codable>(_ a: @escaping () -> (T) = { _ in }, b c: [String : Any]? = nil) async throws -> (any P)?", ("A", "B")),
            ("public init?(rawValue: String)", ("A",)),
            ("case invalid(String, cause: Error? = nil)", ("A",)),
            ("open func count(_ range: Range<Int> = 0..<4)", ("A",)),
            ("public private(set) var type: String = \"a = b, (c\"", ("A",)),
            ("open class Holder<T: Codable & Sendable>: Base<T>, @unchecked Sendable {", ()),
            ("@discardableResult mutating func pop() -> (name: String, count: Int)", ("A",)),
            ("static var logger: Logger {get set}", ("A",)),
        ):
            [fact] = declaration(text, path)
            self.assertEqual(read_line(fact.line()).line(), fact.line(), text)

    def test_several_cases_of_one_line_are_several_facts(self):
        names = [(fact.name, fact.value) for fact in declaration('case usb, internal_transport = "internal"', ("T",))]
        self.assertEqual(names, [("T.usb", None), ("T.internal_transport", '"internal"')])

    def test_what_is_not_understood_is_not_passed_over(self):
        for text in ("precedencegroup A", "public strange func a()", "func a(b: (Int)", "let x = compute()"):
            with self.assertRaises(Unreadable, msg=text):
                declaration(text, ("A",))


if __name__ == "__main__":
    unittest.main()
