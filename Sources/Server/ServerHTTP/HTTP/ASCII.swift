internal import Bytes

// Parts of texts that headers and paths consist of.

extension Substring {
  /// The text without the spaces and tabs around it.
  var withoutBlanks: Substring { Substring(utf8.trimmingBlanks) }

  /// Removes the rest of a quoted string (RFC 9110 §5.6.4) whose opening quotation mark has been removed.
  ///
  /// - Returns: the string without its escapes; `nil` when the closing quotation mark is missing.
  package mutating func takeQuoted() -> String? {
    var value = ""
    while let character = popFirst() {
      switch character {
      case "\"": return value
      case "\\":
        guard let escaped = popFirst() else { return nil }
        value.append(escaped)
      default: value.append(character)
      }
    }
    return nil
  }
}
