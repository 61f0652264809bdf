/// The elements of a header that is a list (RFC 9110 §5.6.1), the last one first, without the blanks around them.
///
/// Each proxy appends, so the rightmost element comes from the nearest one. Read from there, nothing that a client wrote on the
/// left, such as an open quotation mark, changes the meaning of the proxies' own elements.
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
        if !isQuoted || !Self.isEscaped(before, in: current) { isQuoted.toggle() }
      case UInt8(ascii: ",") where !isQuoted:
        rest = current[..<before]
        return Substring(current[index...]).withoutBlanks
      default: break
      }
      index = before
    }
    rest = nil
    return Substring(current).withoutBlanks
  }

  /// Whether an odd number of backslashes stands before `index`. Runs of them are disjoint, so all calls together are linear.
  private static func isEscaped(_ index: String.Index, in text: Substring.UTF8View) -> Bool {
    text[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
  }
}
