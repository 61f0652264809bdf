public import StrictJSON

/// A record at its place in the ledger: numbered, and chained to the line before it.
public struct EvidenceEntry: Sendable, Hashable {
  /// From 1, without gaps.
  public let number: Int64

  /// The hash of the entry before; of the ledger's header for entry 1.
  public let previous: EvidenceHash

  public let record: EvidenceRecord

  /// Over everything above.
  public let hash: EvidenceHash

  /// The entry as it is stored and exported: one JSON object, compact, its members always the same and in the same
  /// order, the last one `hash`. Without a line end.
  public let line: [UInt8]

  /// Longest line in bytes; a proof with its certificates takes up to 128 KiB.
  public static let maximumLineBytes = 1 << 20

  static let limits = JSONLimits(maximumBytes: maximumLineBytes, maximumDepth: 128)

  /// Chains a record to what is there.
  ///
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/malformed`` when the line would be longer than
  ///   ``maximumLineBytes``.
  public init(number: Int64, previous: EvidenceHash, record: EvidenceRecord) throws(EvidenceFault) {
    self.number = number
    self.previous = previous
    self.record = record
    let body = Array(Self.body(number, previous, record).serialized.dropLast())
    hash = EvidenceHash(of: body, in: .entry)
    line = SealedLine.complete(body, with: hash)
    guard line.count <= Self.maximumLineBytes else {
      throw EvidenceFault(
        .malformed, entry: number,
        "it would take \(line.count) bytes, more than \(Self.maximumLineBytes)")
    }
  }

  /// Reads a line.
  ///
  /// - Throws: ``EvidenceFault`` for anything but the one form of an entry with its right hash. Whether the entry stands
  ///   at its place is ``EvidenceChain``'s to say.
  public init(line: [UInt8]) throws(EvidenceFault) {
    guard let json = try? JSONObject(parsing: line, limits: Self.limits),
      let number = json["number"]?.integerValue
    else { throw EvidenceFault(.malformed, "a line is not an entry") }
    guard let previous = json["previous"]?.stringValue.flatMap({ EvidenceHash($0) }),
      let record = EvidenceRecord(json)
    else { throw EvidenceFault(.malformed, entry: number, "it does not have the members of an entry") }
    let entry = try EvidenceEntry(number: number, previous: previous, record: record)
    guard entry.line == line else {
      throw EvidenceFault(.changed, entry: number, "its hash is not that of its content")
    }
    self = entry
  }

  /// All members as JSON, as the line has them.
  public var json: JSONObject {
    var json = Self.body(number, previous, record)
    json["hash"] = .string(hash.text)
    return json
  }

  private static func body(
    _ number: Int64, _ previous: EvidenceHash, _ record: EvidenceRecord
  ) -> JSONObject {
    [
      "number": .integer(number), "previous": .string(previous.text), "kind": .string(record.kind.rawValue),
      "time": .integer(record.time), "realm": .string(record.realm), "journey": .string(record.journey),
      "node": .string(record.nodeID), "username": .string(record.username),
      "userId": .string(record.userID), "device": .string(record.device), "key": .object(record.key),
      "attestation": record.attestation.map { .object($0) } ?? .null,
      "transaction": record.transaction.map { .object($0) } ?? .null, "jws": .string(record.jws),
    ]
  }
}

extension EvidenceRecord {
  /// Reads the members of an entry; `nil` when one is missing or has the wrong type.
  fileprivate init?(_ json: JSONObject) {
    guard let kind = json["kind"]?.stringValue.flatMap(Kind.init), let time = json["time"]?.integerValue,
      let realm = json["realm"]?.stringValue, let journey = json["journey"]?.stringValue,
      let nodeID = json["node"]?.stringValue, let username = json["username"]?.stringValue,
      let userID = json["userId"]?.stringValue, let device = json["device"]?.stringValue,
      let key = json["key"]?.objectValue, let attestation = json["attestation"],
      let transaction = json["transaction"], let jws = json["jws"]?.stringValue
    else { return nil }
    for optional in [attestation, transaction] where !optional.isNull && optional.objectValue == nil {
      return nil
    }
    self.init(
      kind: kind, time: time, realm: realm, journey: journey, nodeID: nodeID, username: username,
      userID: userID, device: device, key: key, attestation: attestation.objectValue,
      transaction: transaction.objectValue, jws: jws)
  }
}
