/// A value of a ``TOMLDocument``.
package enum TOMLValue: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  case flag(Bool)
  case texts([String])

  /// The value as written in a document.
  package var source: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .integer(let number): String(number)
    case .flag(let isOn): isOn ? "true" : "false"
    case .texts(let texts): "[" + texts.map(Self.quoted).joined(separator: ", ") + "]"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
