/// The rules of the list, found by binary search in the program's text.
enum SuffixRules {
  /// Whether the list has the rule: a name, `*.` and a name, or `!` and a name.
  static func contains(_ rule: String) -> Bool {
    let sought = Array(rule.utf8)
    return sortedRules.withUTF8Buffer { list in
      // Both are places where a line begins, `high` one past the last line.
      var (low, high) = (0, list.count)
      while low < high {
        let start = lineStart(before: low + (high - low) / 2, notBefore: low, in: list)
        var end = start
        while end < high, list[end] != newline { end += 1 }
        let line = UnsafeBufferPointer(rebasing: list[start..<end])
        if line.elementsEqual(sought) { return true }
        if line.lexicographicallyPrecedes(sought) { low = end + 1 } else { high = start }
      }
      return false
    }
  }

  private static let newline = UInt8(ascii: "\n")

  private static func lineStart(
    before place: Int, notBefore low: Int, in list: UnsafeBufferPointer<UInt8>
  ) -> Int {
    var start = place
    while start > low, list[start - 1] != newline { start -= 1 }
    return start
  }
}
