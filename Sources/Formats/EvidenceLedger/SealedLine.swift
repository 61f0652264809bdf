internal import JOSE

/// A line of a ledger taken apart: the text that is hashed, and the hash that its last member states.
///
/// The hash covers the bytes before `,"hash":"`, not their meaning. So every change of a line shows, and checking takes SHA-256 and no
/// JSON.
struct SealedLine {
  /// The line up to its last member.
  let body: ArraySlice<UInt8>

  /// What the line says its hash is.
  let stated: EvidenceHash

  private static let start = Array(#","hash":""#.utf8)
  private static let end = Array(#""}"#.utf8)
  private static let suffixCount = start.count + EvidenceHash.textCount + end.count

  /// `nil` when the line does not end in a hash.
  init?(_ line: [UInt8]) {
    guard line.count > Self.suffixCount else { return nil }
    let suffix = line.suffix(Self.suffixCount)
    guard suffix.starts(with: Self.start), suffix.suffix(Self.end.count).elementsEqual(Self.end),
      let stated = EvidenceHash(text: suffix.dropFirst(Self.start.count).prefix(EvidenceHash.textCount))
    else { return nil }
    body = line.dropLast(Self.suffixCount)
    self.stated = stated
  }

  func hasStatedHash(in domain: EvidenceHash.Domain) -> Bool { EvidenceHash(of: body, in: domain) == stated }

  /// Completes a body (a JSON object without its closing brace) to a line.
  static func complete(_ body: [UInt8], with hash: EvidenceHash) -> [UInt8] {
    body + start + Array(hash.text.utf8) + end
  }
}
