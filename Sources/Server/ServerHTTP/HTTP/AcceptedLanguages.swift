internal import Bytes

/// The languages a client prefers, best first.
package enum AcceptedLanguages {
  private static let maximumCount = 20

  /// Reads `Accept-Language` (RFC 9110 §12.5.4) without ranges of weight 0, malformed ranges and `*`.
  package static func parse(_ header: String?) -> [String] {
    guard let header else { return [] }
    if !header.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) {
      return isTag(header[...]) ? [header] : []
    }
    var weighted: [(tag: String, weight: Double)] = []
    for part in header.split(separator: ",").prefix(maximumCount) {
      let pieces = part.split(separator: ";")
      guard let tag = pieces.first?.withoutBlanks, isTag(tag) else { continue }
      var weight = 1.0
      for parameter in pieces.dropFirst() {
        let parameter = parameter.withoutBlanks
        if parameter.hasPrefix("q=") { weight = Double(parameter.dropFirst(2)) ?? 0 }
      }
      if weight > 0 { weighted.append((String(tag), weight)) }
    }
    // Stable: of equal weights the first wins.
    return weighted.enumerated().sorted {
      ($0.element.weight, -$0.offset) > ($1.element.weight, -$1.offset)
    }.map(\.element.tag)
  }

  private static func isTag(_ text: Substring) -> Bool {
    (1...35).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
  }
}
