public import JOSE
internal import StrictJSON

/// The last line of an export: the number of entries and the hash of the last one, signed with the ledger's key.
///
/// The chain alone cannot show that its end is missing; a checkpoint can. Kept somewhere else, it also shows years later whether the
/// ledger still is the one that it was taken from.
public struct EvidenceCheckpoint: Sendable, Hashable {
  /// The ledger's ``EvidenceHeader/fingerprint``.
  public let ledger: EvidenceHash

  /// How many entries there were.
  public let count: Int64

  /// The hash of the last entry in the tree's order; of the header when there was none.
  public let head: EvidenceHash

  /// The ends of all lanes that had entries, in ascending order; empty when only lane 0 had entries.
  public let lanes: [EvidenceLaneEnd]

  /// How many entries, from the first on, had lost their content to retention.
  public let removed: Int64

  /// The root of the tree over the entries; `nil` in exports from before there was one.
  public let root: MerkleHash?

  /// When it was made. Milliseconds since 1970.
  public let time: Int64

  /// The compact JWS (ES256) over the above.
  public let jws: String

  private static let type = "sealring-evidence-checkpoint"
  private static let start = Array(#"{"checkpoint":""#.utf8)
  private static let end = Array(#""}"#.utf8)

  /// Signs a checkpoint of `chain`.
  public init(of chain: EvidenceChain, at time: Int64, signer: some JWSSigner) async throws {
    var claims: JSONObject = [
      "ledger": .string(chain.header.fingerprint.text), "count": .integer(chain.count),
      "head": .string(chain.head.text), "time": .integer(time), "root": .string(chain.tree.root.text),
    ]
    if !chain.lanes.isEmpty { claims["lanes"] = .array(chain.lanes.map(\.json)) }
    if chain.removed > 0 { claims["removed"] = .integer(chain.removed) }
    ledger = chain.header.fingerprint
    lanes = chain.lanes
    removed = chain.removed
    count = chain.count
    head = chain.head
    root = chain.tree.root
    self.time = time
    jws = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: Self.type), claims: claims, signer: signer)
  }

  /// Reads a checkpoint's line and verifies its signature.
  ///
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/checkpoint``.
  public init(line: [UInt8], header: EvidenceHeader) throws(EvidenceFault) {
    guard Self.begins(line), line.count <= 8192, line.suffix(Self.end.count).elementsEqual(Self.end) else {
      throw EvidenceFault(.checkpoint, "the last line is not a checkpoint")
    }
    let text = String(decoding: line.dropFirst(Self.start.count).dropLast(Self.end.count), as: UTF8.self)
    try self.init(jws: text, header: header)
  }

  /// Reads a checkpoint and verifies its signature.
  ///
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/checkpoint``.
  init(jws text: String, header: EvidenceHeader) throws(EvidenceFault) {
    guard let token = try? UnverifiedJWS(compact: text), token.header.type == Self.type,
      let key = try? VerificationKey(header.key),
      let claims = try? token.verified(with: key, allowing: [.es256]).claims()
    else { throw EvidenceFault(.checkpoint, "its signature is not by the key of this ledger") }
    guard let ledger = claims["ledger"]?.stringValue.flatMap({ EvidenceHash($0) }),
      let count = claims["count"]?.integerValue, count >= 0,
      let head = claims["head"]?.stringValue.flatMap({ EvidenceHash($0) }),
      let time = claims["time"]?.integerValue,
      case let root = claims["root"]?.stringValue.flatMap({ MerkleHash($0) }),
      root != nil || claims["root"] == nil, let lanes = EvidenceLaneEnd.all(claims["lanes"]),
      let removed = claims["removed"].map({ $0.integerValue ?? 0 }) ?? .some(0),
      claims["removed"] == nil || (1...max(1, count)).contains(removed)
    else { throw EvidenceFault(.checkpoint, "it does not have the members of a checkpoint") }
    guard ledger == header.fingerprint else {
      throw EvidenceFault(.checkpoint, "it belongs to another ledger")
    }
    self.ledger = ledger
    self.count = count
    self.head = head
    self.root = root
    self.lanes = lanes
    self.removed = removed
    self.time = time
    jws = text
  }

  /// The line as exported, without a line end.
  public var line: [UInt8] { Self.start + Array(jws.utf8) + Self.end }

  /// Whether the checkpoint's head, root and lanes are those of `chain`, which has ``count`` entries.
  package func isHead(of chain: EvidenceChain) -> Bool {
    head == chain.head && root ?? chain.tree.root == chain.tree.root && lanes == chain.lanes
  }

  /// Whether a line claims to be a checkpoint.
  static func begins(_ line: [UInt8]) -> Bool { line.starts(with: start) }
}

extension EvidenceLaneEnd {
  fileprivate var json: JSONValue {
    ["lane": .integer(lane.index), "number": .integer(number), "head": .string(head.text)]
  }

  /// The lanes of a checkpoint; none when `json` is missing, `nil` when it has another form.
  fileprivate static func all(_ json: JSONValue?) -> [EvidenceLaneEnd]? {
    guard let json else { return [] }
    guard let values = json.arrayValue, values.count <= EvidenceLane.maximum + 1 else {
      return nil
    }
    let ends = values.compactMap(EvidenceLaneEnd.init)
    guard ends.count == values.count, ends.contains(where: { $0.lane != .first }),
      zip(ends, ends.dropFirst()).allSatisfy({ $0.lane < $1.lane })
    else {
      return nil
    }
    return ends
  }

  private init?(_ json: JSONValue) {
    guard let json = json.objectValue, json.count == 3, let lane = json["lane"]?.integerValue,
      let number = json["number"]?.integerValue,
      let head = json["head"]?.stringValue.flatMap({ EvidenceHash($0) }),
      let lane = EvidenceLane(lane), number > 0, EvidenceLane(of: number) == lane
    else { return nil }
    self.init(lane: lane, number: number, head: head)
  }
}
