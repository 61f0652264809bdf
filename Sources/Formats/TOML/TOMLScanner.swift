/// Reads one line of a document.
struct TOMLScanner {
  private let scalars: [Unicode.Scalar]
  private(set) var position = 0
  private let line: Int

  init(_ text: String, line: Int) {
    scalars = Array(text.unicodeScalars)
    self.line = line
  }

  var isAtEnd: Bool { position == scalars.count }

  func failure(_ problem: String) -> TOMLError { TOMLError(line: line, problem) }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  mutating func skipSpaces() { while next == " " || next == "\t" { position += 1 } }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  /// Reads the end of a line after a value or a heading: nothing, or a comment.
  mutating func end() throws(TOMLError) {
    skipSpaces()
    guard let next else { return }
    guard next == "#" else { throw failure("the line should end before '\(next)'") }
    for scalar in scalars[position...] where scalar != "\t" && Self.isControl(scalar) {
      throw failure("a comment has a control character")
    }
    position = scalars.count
  }

  /// A bare key: letters of ASCII, digits, - and _.
  mutating func key() throws(TOMLError) -> String {
    let start = position
    while let next, Self.isKeyCharacter(next) { position += 1 }
    guard position > start else {
      if next == "\"" || next == "'" {
        throw failure("a name in quotation marks is not used here; names are letters, digits, - and _")
      }
      throw failure("a name is missing; names are letters, digits, - and _")
    }
    guard position - start <= 64 else { throw failure("a name has more than 64 characters") }
    return Self.text(scalars[start..<position])
  }

  mutating func value() throws(TOMLError) -> TOMLValue {
    switch next {
    case "\"", "'": return .text(try string())
    case "[":
      position += 1
      return .texts(try strings())
    case "{": throw failure("a table in braces is not used here; write it under a heading such as [serve]")
    case nil, "#": throw failure("the value is missing")
    default: return try word()
    }
  }

  private mutating func strings() throws(TOMLError) -> [String] {
    var strings: [String] = []
    while true {
      skipSpaces()
      if take("]") { return strings }
      guard next == "\"" || next == "'" else {
        throw failure(
          next == nil || next == "#"
            ? "the list is not finished on its line" : "a list holds texts in quotation marks")
      }
      strings.append(try string())
      guard strings.count <= 256 else { throw failure("a list has more than 256 elements") }
      skipSpaces()
      if take(",") { continue }
      guard take("]") else { throw failure("the list needs a comma or ] here") }
      return strings
    }
  }

  /// `true`, `false` or an integer.
  private mutating func word() throws(TOMLError) -> TOMLValue {
    let start = position
    while let next, !" \t#,]".unicodeScalars.contains(next) { position += 1 }
    let text = Self.text(scalars[start..<position])
    if text == "true" { return .flag(true) }
    if text == "false" { return .flag(false) }
    let digits = text.first == "+" || text.first == "-" ? text.dropFirst() : text[...]
    if !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) {
      guard digits == "0" || digits.first != "0" else { throw failure("a number begins with 0") }
      guard let number = Int64(text) else { throw failure("the number is too large") }
      return .integer(number)
    }
    throw failure("the value is not quoted text, a whole number, a list, true or false")
  }

  private mutating func string() throws(TOMLError) -> String {
    let isLiteral = next == "'"
    let quote: Unicode.Scalar = isLiteral ? "'" : "\""
    position += 1
    if next == quote {
      position += 1
      guard next != quote else { throw failure("a text of several lines is not used here") }
      return ""
    }
    var text = String.UnicodeScalarView()
    while let scalar = next {
      position += 1
      switch scalar {
      case quote: return String(text)
      case "\\" where !isLiteral: text.append(try escape())
      case _ where scalar != "\t" && Self.isControl(scalar): throw failure("a text has a control character")
      default: text.append(scalar)
      }
    }
    throw failure("the text has no closing quotation mark")
  }

  private mutating func escape() throws(TOMLError) -> Unicode.Scalar {
    guard let letter = next else { throw failure("the text has no closing quotation mark") }
    position += 1
    switch letter {
    case "b": return "\u{8}"
    case "t": return "\t"
    case "n": return "\n"
    case "f": return "\u{C}"
    case "r": return "\r"
    case "\"", "\\": return letter
    case "u", "U":
      let count = letter == "u" ? 4 : 8
      let digits = scalars[position...].prefix(count)
      guard digits.count == count, digits.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }),
        let number = UInt32(Self.text(digits), radix: 16), let scalar = Unicode.Scalar(number)
      else { throw failure("\\\(letter) needs \(count) hexadecimal digits of a character") }
      position += count
      return scalar
    default: throw failure("there is no escape \\\(letter); write \\\\ for a backslash")
    }
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  private static func isKeyCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || scalar.value == 0x7F
  }
}
