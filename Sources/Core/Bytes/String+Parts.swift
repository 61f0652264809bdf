extension String {
  /// The parts between occurrences of the byte `separator`; see ``Swift/Substring/parts(separatedBy:most:)``.
  package func parts(separatedBy separator: UInt8, most: Int = .max) -> [Substring] {
    self[...].parts(separatedBy: separator, most: most)
  }
}

extension Substring {
  /// The parts between occurrences of the byte `separator`, including empty ones.
  ///
  /// It is defined for this type only, because other modules would call a generic form, which takes ten times as long.
  ///
  /// It looks at bytes, not characters: ASCII formats are defined by bytes, whatever combining mark follows a separator, and finding
  /// the borders of characters takes most of the time.
  ///
  /// - Parameters:
  ///   - separator: an ASCII byte.
  ///   - most: the maximum number of parts. The last one holds the rest of the text.
  package func parts(separatedBy separator: UInt8, most: Int = .max) -> [Substring] {
    let ends: [Int] =
      utf8.withContiguousStorageIfAvailable { Self.places(of: separator, in: $0, most: most - 1) }
      ?? Array(utf8).withUnsafeBufferPointer { Self.places(of: separator, in: $0, most: most - 1) }
    var parts: [Substring] = []
    parts.reserveCapacity(ends.count + 1)
    var (start, offset) = (startIndex, 0)
    for end in ends {
      let index = utf8.index(start, offsetBy: end - offset)
      parts.append(self[start..<index])
      (start, offset) = (utf8.index(after: index), end + 1)
    }
    parts.append(self[start...])
    return parts
  }

  private static func places(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, most: Int) -> [Int] {
    var places: [Int] = []
    while places.count < most, let place = bytes.firstPlace(of: byte, from: (places.last ?? -1) + 1) {
      places.append(place)
    }
    return places
  }
}
