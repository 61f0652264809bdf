/// One of the chains of a ledger. Every ledger has lane 0. Servers that write many proofs at once write several lanes, so that a proof
/// need not wait until another one is on disk. An entry's number identifies its lane.
public struct EvidenceLane: Sendable, Hashable, Comparable {
  /// From 0 to ``maximum``.
  public let index: Int64

  /// The lane that every ledger begins with. Its numbers are 1, 2, 3 and so on.
  public static let first = EvidenceLane(unchecked: 0)

  /// The highest lane.
  public static let maximum: Int64 = (1 << bits) - 1

  /// The lowest number outside lane 0.
  public static let lowest: Int64 = 1 << 40
  private static let bits: Int64 = 6

  /// The numbers that an entry can have, in any lane.
  static let numbers: ClosedRange<Int64> = 1...(1 << 53)

  /// A later time counts as this one, of the year 4199, so that numbers stay below 2⁵³, which all JSON readers can represent.
  private static let latest: Int64 = 1 << 46

  private init(unchecked index: Int64) { self.index = index }

  /// `nil` when there is no such lane.
  public init?(_ index: Int64) {
    guard (0...Self.maximum).contains(index) else { return nil }
    self.index = index
  }

  /// The lane of the entry of this number.
  public init(of number: Int64) { index = number < Self.lowest ? 0 : number & Self.maximum }

  /// The number of the entry that follows in this lane.
  ///
  /// - Parameters:
  ///   - last: the number of the lane's last entry; ``start`` when there is none.
  ///   - time: the time of the new entry, in milliseconds since 1970. Outside lane 0 it determines the number, so that the numbers of
  ///     all lanes are nearly in the order of time.
  public func number(after last: Int64, at time: Int64) -> Int64 {
    guard index > 0 else { return last + 1 }
    let own = max(Self.lowest, min(max(time, 0), Self.latest) << Self.bits) | index
    return own > last ? own : last + Self.maximum + 1
  }

  /// The value that stands for the number of the last entry when there is none. It differs in each lane, and is never the number of an
  /// entry outside lane 0.
  public var start: Int64 { index }

  public static func < (one: EvidenceLane, other: EvidenceLane) -> Bool { one.index < other.index }
}

/// The last entry of a lane.
public struct EvidenceLaneEnd: Sendable, Hashable {
  public let lane: EvidenceLane
  public let number: Int64

  /// The entry's hash; the ledger's fingerprint when there is none.
  public let head: EvidenceHash

  package init(lane: EvidenceLane, number: Int64, head: EvidenceHash) {
    self.lane = lane
    self.number = number
    self.head = head
  }
}
