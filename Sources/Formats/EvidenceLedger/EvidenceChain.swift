/// The chains of a ledger so far. It takes entries one by one, in the order of the tree, and checks that each is the next in its lane.
public struct EvidenceChain: Sendable {
  public let header: EvidenceHeader

  /// How many entries have been taken.
  public private(set) var count: Int64 = 0

  /// How many of them, from the first on, have lost their content and are known by their hash only.
  public private(set) var removed: Int64 = 0

  /// The hash of the last entry; of the header when there is none.
  public private(set) var head: EvidenceHash

  /// The tree over the hashes of all entries.
  public private(set) var tree = MerkleTree()

  private var ends: [EvidenceLane: EvidenceLaneEnd] = [:]

  public init(header: EvidenceHeader) {
    self.header = header
    head = header.fingerprint
  }

  /// The chains at the time of a checkpoint.
  ///
  /// - Parameters:
  ///   - tree: the tree over the entries that the checkpoint counts.
  ///   - removed: how many entries have lost their content by now; `nil` for the checkpoint's number.
  ///   - marks: whether the tree collects the proof that it continues the checkpoint's tree.
  /// - Throws: ``EvidenceFault`` when `tree` is not the checkpoint's.
  public init(
    header: EvidenceHeader, resuming checkpoint: EvidenceCheckpoint, tree: MerkleTree, removed: Int64? = nil,
    marks: Bool = false
  ) throws(EvidenceFault) {
    guard tree.size == checkpoint.count, tree.root == checkpoint.root else {
      throw EvidenceFault(.rewritten, "the tree is not the one that the last epoch signs")
    }
    self.header = header
    self.tree = tree
    if marks { self.tree.markNow() }
    count = checkpoint.count
    self.removed = min(removed ?? checkpoint.removed, checkpoint.count)
    head = checkpoint.head
    for end in checkpoint.lanes { ends[end.lane] = end }
    if checkpoint.lanes.isEmpty, count > 0 {
      ends[.first] = EvidenceLaneEnd(lane: .first, number: count, head: head)
    }
  }

  /// What a line turned out to be.
  public enum Taken: Sendable, Hashable {
    case entry(Int64, EvidenceHash)
    /// An entry with only its number and hash left.
    case removed(Int64, EvidenceHash)

    /// The entry's hash, which its leaf is made of.
    var hash: EvidenceHash {
      switch self {
      case .entry(_, let hash), .removed(_, let hash): hash
      }
    }
  }

  /// The ends of all lanes that have entries, in ascending order; empty while only lane 0 has entries.
  public var lanes: [EvidenceLaneEnd] {
    next == nil ? ends.values.sorted { $0.lane < $1.lane } : []
  }

  /// The last entry of a lane.
  public func end(of lane: EvidenceLane) -> EvidenceLaneEnd {
    ends[lane] ?? EvidenceLaneEnd(lane: lane, number: lane.start, head: header.fingerprint)
  }

  /// The number of the next entry when only lane 0 has entries; else `nil`.
  var next: Int64? { ends.count == (ends[.first] == nil ? 0 : 1) ? count + 1 : nil }

  /// Takes the line of the next entry. Reads only what the chain needs: hash, number, predecessor.
  ///
  /// - Throws: ``EvidenceFault`` that names the entry. The chain is then unchanged.
  @discardableResult
  public mutating func append(_ line: [UInt8]) throws(EvidenceFault) -> Taken {
    guard let sealed = SealedLine(line) else { throw malformed }
    if let number = RemovedEntry.number(in: sealed.body) {
      guard removed == count else {
        throw EvidenceFault(
          .removed, entry: number, "its content is missing, but an earlier entry still has its content")
      }
      try requireNext(number)
      removed += 1
      take(number, sealed.stated)
      return .removed(number, sealed.stated)
    }
    guard let place = Place(sealed.body) else { throw malformed }
    guard sealed.hasStatedHash(in: .entry) else {
      throw EvidenceFault(.changed, entry: next ?? place.number, "its hash is not that of its content")
    }
    try requireNext(place.number)
    let end = end(of: EvidenceLane(of: place.number))
    guard place.previous == end.head else {
      guard end.lane == .first else {
        throw EvidenceFault(
          .removed, entry: place.number,
          "an entry before it in lane \(end.lane.index) is missing or was replaced")
      }
      throw EvidenceFault(
        .changed, entry: place.number,
        place.number == 1
          ? "it is not the first entry of this ledger"
          : "it does not continue entry \(end.number) of this export: one of the two was replaced")
    }
    take(place.number, sealed.stated)
    return .entry(place.number, sealed.stated)
  }

  private var malformed: EvidenceFault {
    EvidenceFault(.malformed, entry: next, "its line does not have the form of an entry")
  }

  private func requireNext(_ number: Int64) throws(EvidenceFault) {
    let last = end(of: EvidenceLane(of: number))
    guard number > last.number else {
      throw EvidenceFault(.duplicated, entry: number, "it appears again after entry \(last.number)")
    }
    let next = last.number + 1
    guard last.lane != .first || number == next else {
      throw EvidenceFault(
        .removed, entry: next,
        next + 1 == number
          ? "it is missing before entry \(number)"
          : "it and all others before entry \(number) are missing")
    }
  }

  private mutating func take(_ number: Int64, _ hash: EvidenceHash) {
    let lane = EvidenceLane(of: number)
    ends[lane] = EvidenceLaneEnd(lane: lane, number: number, head: hash)
    count += 1
    head = hash
    tree.append(.leaf(hash.bytes))
  }

  /// Whether a line is the entry with that number, and has the hash that it states.
  static func isEntry(_ number: Int64, _ line: [UInt8]) -> Bool {
    self.number(in: line) == number && SealedLine(line)?.hasStatedHash(in: .entry) == true
  }

  /// The number that an entry's line states.
  static func number(in line: [UInt8]) -> Int64? { SealedLine(line).flatMap { Place($0.body)?.number } }
}

/// The line that stands for an entry whose content is gone: its number, and the hash that its leaf is made of.
public enum RemovedEntry {
  static let start = Array(#"{"removed":"#.utf8)

  /// The line, without its line end.
  public static func line(number: Int64, hash: EvidenceHash) -> [UInt8] {
    SealedLine.complete(start + Array(String(number).utf8), with: hash)
  }

  /// - Parameter body: the body of a ``SealedLine``.
  static func number(in body: ArraySlice<UInt8>) -> Int64? {
    body.starts(with: start) ? Decimal.number(body.dropFirst(start.count)) : nil
  }
}

/// The numbers of entries as they stand in lines.
private enum Decimal {
  /// The number in `digits`; `nil` unless these are one to nineteen digits of a number from 1.
  static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard (1...19).contains(digits.count), digits.first != UInt8(ascii: "0"),
      digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self))
  }
}

/// The place that an entry states: its first two members, read without parsing the rest.
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
    guard let number = Decimal.number(digits) else { return nil }
    rest = rest.dropFirst(digits.count)
    guard rest.starts(with: Self.middle) else { return nil }
    rest = rest.dropFirst(Self.middle.count)
    let text = rest.prefix(EvidenceHash.textCount)
    guard rest.dropFirst(EvidenceHash.textCount).starts(with: Self.end),
      let previous = EvidenceHash(text: text)
    else { return nil }
    self.number = number
    self.previous = previous
  }
}
