/// The chain so far: takes entries one by one and says whether each is the next.
public struct EvidenceChain: Sendable {
  public let header: EvidenceHeader

  /// How many entries have been taken.
  public private(set) var count: Int64 = 0

  /// The hash of the last one; of the header before the first.
  public private(set) var head: EvidenceHash

  /// The tree over the hashes of all entries.
  public private(set) var tree = MerkleTree()

  public init(header: EvidenceHeader) {
    self.header = header
    head = header.fingerprint
  }

  /// Takes the line of the next entry. Reads only what the chain needs: hash, number, predecessor.
  ///
  /// - Throws: ``EvidenceFault`` naming the entry; then nothing was taken.
  public mutating func append(_ line: [UInt8]) throws(EvidenceFault) {
    let next = count + 1
    guard let sealed = SealedLine(line), let place = Place(sealed.body) else {
      throw EvidenceFault(.malformed, entry: next, "its line does not have the form of an entry")
    }
    guard sealed.hasStatedHash(in: .entry) else {
      throw EvidenceFault(.changed, entry: next, "its hash is not that of its content")
    }
    guard place.number >= next else {
      throw EvidenceFault(.duplicated, entry: place.number, "it appears again after entry \(count)")
    }
    guard place.number == next else {
      throw EvidenceFault(
        .removed, entry: next,
        next + 1 == place.number
          ? "it is missing before entry \(place.number)"
          : "it and all others before entry \(place.number) are missing")
    }
    guard place.previous == head else {
      throw EvidenceFault(
        .changed, entry: next,
        next == 1
          ? "it is not the first entry of this ledger"
          : "it does not continue entry \(count) of this export: one of the two was replaced")
    }
    count = next
    head = sealed.stated
    tree.append(.leaf(sealed.stated.bytes))
  }

  /// Whether a line is the entry of that number, unharmed.
  static func isEntry(_ number: Int64, _ line: [UInt8]) -> Bool {
    guard let sealed = SealedLine(line) else { return false }
    return Place(sealed.body)?.number == number && sealed.hasStatedHash(in: .entry)
  }
}

/// Where an entry says that it stands: the first two members, read without parsing the rest.
private struct Place {
  let number: Int64
  let previous: EvidenceHash

  private static let start = Array(#"{"number":"#.utf8)
  private static let middle = Array(#","previous":""#.utf8)
  private static let end = Array(#"","#.utf8)

  init?(_ body: ArraySlice<UInt8>) {
    guard body.starts(with: Self.start) else { return nil }
    var rest = body.dropFirst(Self.start.count)
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard digits.count <= 19, digits.first != UInt8(ascii: "0"),
      let number = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    rest = rest.dropFirst(digits.count)
    guard rest.starts(with: Self.middle) else { return nil }
    rest = rest.dropFirst(Self.middle.count)
    let text = rest.prefix(EvidenceHash.textCount)
    guard rest.dropFirst(EvidenceHash.textCount).starts(with: Self.end),
      let previous = EvidenceHash(String(decoding: text, as: UTF8.self))
    else { return nil }
    self.number = number
    self.previous = previous
  }
}
