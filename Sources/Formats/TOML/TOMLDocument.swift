/// A document in the part of TOML 1.0 (https://toml.io/en/v1.0.0) that settings need, with the line of each value, and changes that leave
/// comments and order alone.
///
/// It knows comments, headings such as `[profiles.bank]`, and `name = value` with texts on one line, whole numbers in decimal form,
/// `true`, `false`, and lists of texts on one line. Everything else in TOML is refused with its line, so whatever is accepted means the
/// same to every other TOML reader.
///
/// It is our own, because TOMLKit loses comments and order when a document is changed, and reads forms that settings do not need.
package struct TOMLDocument: Sendable {
  package struct Entry: Hashable, Sendable {
    /// The heading's names and the value's own, such as `["serve", "port"]`.
    package let path: [String]
    package let value: TOMLValue
    /// Counted from 1.
    package let line: Int
    /// Where the value stands in its line, in Unicode scalars.
    let range: Range<Int>
  }

  /// The most bytes of a document.
  package static let maximumBytes = 64 << 10
  /// The most names in a heading.
  private static let maximumDepth = 8

  private var lines: [String] = []
  /// In the document's order.
  package private(set) var entries: [Entry] = []
  /// Headings, with their lines.
  package private(set) var headings: [(path: [String], line: Int)] = []

  /// An empty document.
  package init() {}

  /// - Throws: ``TOMLError`` with the line for a text that is not TOML, or uses an unsupported part of it.
  package init(parsing bytes: some Collection<UInt8>) throws(TOMLError) {
    guard bytes.count <= Self.maximumBytes else {
      throw TOMLError(line: 1, "the text has more than \(Self.maximumBytes) bytes")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else { throw TOMLError(line: 1, "the text is not UTF-8") }
    // Splits by scalars, because a carriage return and a line feed form one `Character` in Swift.
    lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    var heading: [String] = []
    // All tables, including those that only a longer heading mentions.
    var tables: Set<[String]> = [[]]
    var named: Set<[String]> = []
    var values: Set<[String]> = []
    for (index, source) in lines.enumerated() {
      let scalars = source.unicodeScalars
      let content = scalars.last == "\r" ? String(scalars.dropLast()) : source
      var scanner = TOMLScanner(content, line: index + 1)
      scanner.skipSpaces()
      if scanner.take("[") {
        heading = try Self.heading(&scanner)
        for count in 1...heading.count {
          let path = Array(heading.prefix(count))
          guard !values.contains(path) else {
            throw scanner.failure("\(path.joined(separator: ".")) is a value above, and cannot be a heading")
          }
          tables.insert(path)
        }
        guard named.insert(heading).inserted else {
          throw scanner.failure("the heading [\(heading.joined(separator: "."))] appears twice")
        }
        headings.append((heading, index + 1))
      } else if try !Self.isEmpty(&scanner) {
        let name = try scanner.key()
        scanner.skipSpaces()
        guard !scanner.take(".") else {
          throw scanner.failure("a name with dots is not used here; write a heading such as [\(name)]")
        }
        guard scanner.take("=") else { throw scanner.failure("'=' is missing after \(name)") }
        scanner.skipSpaces()
        let start = scanner.position
        let value = try scanner.value()
        let range = start..<scanner.position
        try scanner.end()
        let path = heading + [name]
        guard !tables.contains(path) else {
          throw scanner.failure("\(path.joined(separator: ".")) is a heading, and cannot be a value")
        }
        guard values.insert(path).inserted else { throw scanner.failure("\(name) appears twice") }
        entries.append(Entry(path: path, value: value, line: index + 1, range: range))
      }
    }
  }

  private static func isEmpty(_ scanner: inout TOMLScanner) throws(TOMLError) -> Bool {
    var rest = scanner
    rest.skipSpaces()
    guard rest.isAtEnd || rest.take("#") else { return false }
    try scanner.end()
    return true
  }

  private static func heading(_ scanner: inout TOMLScanner) throws(TOMLError) -> [String] {
    guard !scanner.take("[") else { throw scanner.failure("a heading in [[ ]] is not used here") }
    var path: [String] = []
    repeat {
      scanner.skipSpaces()
      path.append(try scanner.key())
      scanner.skipSpaces()
    } while scanner.take(".")
    guard scanner.take("]") else { throw scanner.failure("the heading has no ]") }
    guard path.count <= maximumDepth else { throw scanner.failure("the heading has too many names") }
    try scanner.end()
    return path
  }

  /// The document's text.
  package var text: String { lines.map { $0 + "\n" }.joined() }

  package func value(_ path: [String]) -> TOMLValue? { entries.first { $0.path == path }?.value }

  // MARK: - Changes

  /// Sets a value. The rest of its line and all other lines stay as they are.
  ///
  /// - Parameter path: Names of letters, digits, - and _.
  /// - Throws: ``TOMLError`` when the path cannot hold a value in this document.
  package mutating func set(_ path: [String], to value: TOMLValue) throws(TOMLError) {
    var changed = lines
    if let entry = entries.first(where: { $0.path == path }) {
      let scalars = Array(changed[entry.line - 1].unicodeScalars)
      let line =
        scalars[..<entry.range.lowerBound] + value.source.unicodeScalars + scalars[entry.range.upperBound...]
      changed[entry.line - 1] = String(String.UnicodeScalarView(line))
    } else {
      let table = Array(path.dropLast())
      let line = "\(path.last ?? "") = \(value.source)"
      let above = headings.first { $0.path == table }?.line ?? (table.isEmpty ? 0 : nil)
      if let above {
        let last = entries.last { $0.path.dropLast() == table[...] }?.line ?? above
        changed.insert(line, at: last)
      } else {
        if !changed.isEmpty { changed.append("") }
        changed += ["[\(table.joined(separator: "."))]", line]
      }
    }
    try replaceLines(with: changed)
  }

  /// Removes a value's line; `false` when there is no such value.
  package mutating func remove(_ path: [String]) throws(TOMLError) -> Bool {
    guard let entry = entries.first(where: { $0.path == path }) else { return false }
    var changed = lines
    changed.remove(at: entry.line - 1)
    try replaceLines(with: changed)
    return true
  }

  /// Removes a heading with all lines up to the next one; `false` when there is no such heading.
  package mutating func removeTable(_ path: [String]) throws(TOMLError) -> Bool {
    guard let heading = headings.first(where: { $0.path == path }) else { return false }
    let end = headings.first { $0.line > heading.line }.map { $0.line - 1 } ?? lines.count
    var changed = lines
    changed.removeSubrange(heading.line - 1..<end)
    try replaceLines(with: changed)
    return true
  }

  private mutating func replaceLines(with lines: [String]) throws(TOMLError) {
    self = try TOMLDocument(parsing: lines.map { $0 + "\n" }.joined().utf8)
  }
}
