import Foundation
import Testing
import TOML

@Suite struct TOMLDocumentTests {
  private static let document = """
    # Whose device this is
    profile = "bank"   # the one in use
    utc = true

    [profiles.bank]
    server = "https://id.bank.example/am"
    user = 'mira\\n'

    [serve]
    port = 9000
    trusted-proxy = [ "10.0.0.0/8", "::1", ]
    empty = []

    """

  @Test func `values have their path and line`() throws {
    let document = try TOMLDocument(parsing: Self.document.utf8)
    #expect(document.entries.map(\.line) == [2, 3, 6, 7, 10, 11, 12])
    #expect(document.value(["profile"]) == .text("bank"))
    #expect(document.value(["profiles", "bank", "user"]) == .text(#"mira\n"#))
    #expect(document.value(["serve", "port"]) == .integer(9000))
    #expect(document.value(["serve", "trusted-proxy"]) == .texts(["10.0.0.0/8", "::1"]))
    #expect(document.text == Self.document)
  }

  /// Each with the line that the failure names, and a word of it.
  @Test(arguments: [
    ("a = 1\na = 2", 2, "twice"), ("[a]\n[a]", 2, "twice"), ("a = 1\n[a.b]", 2, "value above"),
    ("[a.b]\n[a]\nb = 1", 3, "heading"), ("a.b = 1", 1, "dots"), ("\"a\" = 1", 1, "quotation"),
    ("a = ", 1, "missing"), ("a = 'b", 1, "closing"), ("a = \"b\\q\"", 1, "escape"),
    ("a = \"\\uD800\"", 1, "hexadecimal"), ("a = 1.5", 1, "whole number"), ("a = 012", 1, "begins with 0"),
    ("a = 1_000", 1, "whole number"), ("a = 99999999999999999999", 1, "too large"),
    ("a = 1979-05-27", 1, "whole number"), ("a = {b = 1}", 1, "braces"), ("[[a]]", 1, "[[ ]]"),
    ("a = \"\"\"b\"\"\"", 1, "several lines"), ("a = [\n\"b\"]", 1, "not finished"),
    ("a = [1]", 1, "texts"), ("a = [\"b\" \"c\"]", 1, "comma"), ("a = 1 b", 1, "end"),
    ("[a", 1, "no ]"), ("a", 1, "'='"), ("a = \"b\u{1}\"", 1, "control"), ("# \u{1}", 1, "control"),
    ("a = 1\rb = 2", 1, "whole number"), ("= 1", 1, "name is missing"),
    ("\u{FEFF}a = 1", 1, "name is missing"),
    ("[a.b.c.d.e.f.g.h.i]", 1, "too many"), (String(repeating: "a", count: 65) + " = 1", 1, "64"),
  ])
  func `what is not known is refused with its line`(text: String, line: Int, word: String) {
    let error = #expect(throws: TOMLError.self) { try TOMLDocument(parsing: text.utf8) }
    #expect(
      error?.line == line && error?.problem.contains(word) == true, "\(text): \(error?.description ?? "")")
  }

  @Test func `a text that is too long or no UTF-8 is refused`() {
    let long = [UInt8](repeating: 35, count: TOMLDocument.maximumBytes + 1)
    #expect(throws: TOMLError.self) { try TOMLDocument(parsing: long) }
    #expect(throws: TOMLError.self) { try TOMLDocument(parsing: [0x61, 0x3D, 0x22, 0xFF, 0x22]) }
  }

  @Test func `a change leaves comments and order alone`() throws {
    var document = try TOMLDocument(parsing: Self.document.utf8)
    try document.set(["profile"], to: .text("shop \"x\"\n"))
    try document.set(["realm"], to: .text("alpha"))
    try document.set(["profiles", "bank", "realm"], to: .text("bravo"))
    try document.set(["profiles", "shop", "server"], to: .text("http://127.0.0.1:8080/am"))
    #expect(try document.remove(["serve", "port"]))
    #expect(try !document.remove(["serve", "port"]))
    #expect(
      document.text == """
        # Whose device this is
        profile = "shop \\"x\\"\\n"   # the one in use
        utc = true
        realm = "alpha"

        [profiles.bank]
        server = "https://id.bank.example/am"
        user = 'mira\\n'
        realm = "bravo"

        [serve]
        trusted-proxy = [ "10.0.0.0/8", "::1", ]
        empty = []

        [profiles.shop]
        server = "http://127.0.0.1:8080/am"

        """)
    #expect(try document.removeTable(["profiles", "bank"]))
    #expect(document.value(["profiles", "bank", "server"]) == nil)
    #expect(document.value(["serve", "empty"]) == .texts([]))
  }

  @Test func `a value that is written is read again`() throws {
    for text in ["", "a", "\"\\\n\r\t\u{1}\u{7F}é🂡'", "# no comment", String(repeating: "x", count: 1000)] {
      var document = TOMLDocument()
      try document.set(["a", "b"], to: .text(text))
      try document.set(["a", "c"], to: .texts([text, text]))
      let read = try TOMLDocument(parsing: document.text.utf8)
      #expect(read.value(["a", "b"]) == .text(text) && read.value(["a", "c"]) == .texts([text, text]))
    }
  }

  /// Python's reader of TOML is the judge: what is accepted here means the same there.
  @Test func `what is accepted means the same to Python`() throws {
    let texts = [
      Self.document, "a = +7\nb = -0\r\n[ c . d ]\r\ne = ''\n",
      "a=\"\\u00e9\\U0001F0A1\\b\\f\" # x\n\n\t[b]#y\n",
      "[a.b]\nc = 1\n[a]\nd = [ 'x' , \"y\" ]",
    ]
    for text in texts {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "python3", "-c",
        """
        import json, sys, tomllib
        def flat(table, path):
            for key, value in table.items():
                if isinstance(value, dict): yield from flat(value, path + [key])
                else: yield [path + [key], value]
        json.dump(sorted(flat(tomllib.loads(sys.stdin.buffer.read().decode()), [])), sys.stdout)
        """,
      ]
      let (input, output) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
      try input.fileHandleForWriting.close()
      let theirs = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      let ours = try TOMLDocument(parsing: text.utf8).entries.map { entry -> [Any] in
        switch entry.value {
        case .text(let value): [entry.path, value]
        case .integer(let value): [entry.path, value]
        case .flag(let value): [entry.path, value]
        case .texts(let value): [entry.path, value]
        }
      }.sorted { ($0[0] as? [String] ?? []).lexicographicallyPrecedes($1[0] as? [String] ?? []) }
      let expected = try #require(try JSONSerialization.jsonObject(with: theirs) as? NSArray)
      let found = try #require(
        try JSONSerialization.jsonObject(with: JSONSerialization.data(withJSONObject: ours)) as? NSArray)
      #expect(found == expected, "\(text)")
    }
  }
}
