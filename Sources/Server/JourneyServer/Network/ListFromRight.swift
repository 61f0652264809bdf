/// The elements of a header that is a list (RFC 9110 §5.6.1), the last one first, without the blanks around them.
///
/// Each proxy appends, so what stands on the right comes from the nearest one. Reading from there, nothing that a client
/// wrote on the left, an open quotation mark say, changes what the proxies' own elements mean.
struct ListFromRight: Sequence, IteratorProtocol {
  private var rest: Substring.UTF8View?

  init(_ text: String) { rest = text[...].utf8 }

  mutating func next() -> Substring? {
    guard let current = rest else { return nil }
    var index = current.endIndex
    var isQuoted = false
    while index > current.startIndex {
      let before = current.index(before: index)
      switch current[before] {
      case UInt8(ascii: "\""):
        if !isQuoted {
          isQuoted = true
        } else if !Self.isEscaped(before, in: current) {
          isQuoted = false
        }
      case UInt8(ascii: ",") where !isQuoted:
        rest = current[..<before]
        return Self.trimmed(current[index...])
      default: break
      }
      index = before
    }
    rest = nil
    return Self.trimmed(current)
  }

  /// Whether an odd number of backslashes stands before `index`. Runs of them are disjoint, so all calls together are linear.
  private static func isEscaped(_ index: String.Index, in text: Substring.UTF8View) -> Bool {
    text[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
  }

  private static func trimmed(_ text: Substring.UTF8View) -> Substring {
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return Substring(text)
  }
}
