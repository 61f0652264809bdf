extension UnsafeBufferPointer<UInt8> {
  /// Whether one of the lines is `line`, found by binary search in place: nothing is parsed or kept in memory.
  ///
  /// The lines must be sorted by their bytes, and each must end with a line feed.
  package func hasSortedLine(_ line: String) -> Bool {
    let sought = Array(line.utf8)
    // Both are offsets at which a line begins. The search is between them.
    var (low, high) = (0, count)
    while low < high {
      var start = low + (high - low) / 2
      while start > low, self[start - 1] != Self.lineFeed { start -= 1 }
      let end = self[start..<high].firstIndex(of: Self.lineFeed) ?? high
      let found = self[start..<end]
      if found.elementsEqual(sought) { return true }
      if found.lexicographicallyPrecedes(sought) { low = end + 1 } else { high = start }
    }
    return false
  }

  private static var lineFeed: UInt8 { UInt8(ascii: "\n") }
}
