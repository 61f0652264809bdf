public import StrictJSON

/// A record at its place in the ledger: numbered, and chained to the line before it.
public struct EvidenceEntry: Sendable, Hashable {
  /// The number: in lane 0 from 1, without gaps.
  public let number: Int64

  /// The hash of the entry before in the same lane; of the ledger's header for the first one.
  public let previous: EvidenceHash

  public let record: EvidenceRecord

  /// The hash over everything above.
  public let hash: EvidenceHash

  /// The entry as it is stored and exported, without a line end: one compact JSON object whose members are always the same and in the
  /// same order, the last one `hash`. Only `account` is left out when it is not known.
  public let line: [UInt8]

  /// Longest line in bytes; a proof with its certificates takes up to 128 KiB.
  public static let maximumLineBytes = 1 << 20

  static let limits = JSONLimits(maximumBytes: maximumLineBytes, maximumDepth: 128)

  /// Chains a record to the entry before it.
  ///
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/malformed`` when the line would be longer than
  ///   ``maximumLineBytes``.
  public init(number: Int64, previous: EvidenceHash, record: EvidenceRecord) throws(EvidenceFault) {
    let body = Self.text(number, previous, record)
    let hash = EvidenceHash(of: body, in: .entry)
    self.init(number, previous, record, hash, line: SealedLine.complete(body, with: hash))
    guard line.count <= Self.maximumLineBytes else {
      throw EvidenceFault(
        .malformed, entry: number,
        "it would take \(line.count) bytes, more than \(Self.maximumLineBytes)")
    }
  }

  /// Reads a line.
  ///
  /// - Throws: ``EvidenceFault`` unless it is the one form of an entry with its right hash. ``EvidenceChain`` checks whether the entry
  ///   stands at its place.
  public init(line: [UInt8]) throws(EvidenceFault) {
    try self.init(line: line) { $0.hasStatedHash(in: .entry) }
  }

  /// Reads a line whose hash an ``EvidenceChain`` has compared with its content already.
  ///
  /// - Throws: as ``init(line:)``.
  init(chained line: [UInt8]) throws(EvidenceFault) { try self.init(line: line) { _ in true } }

  private init(line: [UInt8], hasItsHash: (SealedLine) -> Bool) throws(EvidenceFault) {
    var isCompact = false
    guard let json = try? JSONObject(parsing: line, limits: Self.limits, isCompact: &isCompact),
      let number = json["number", usuallyAt: 0]?.integerValue, EvidenceLane.numbers.contains(number)
    else { throw EvidenceFault(.malformed, "a line is not an entry") }
    guard let previous = json["previous", usuallyAt: 1]?.stringValue.flatMap({ EvidenceHash($0) }),
      let record = EvidenceRecord(json)
    else { throw EvidenceFault(.malformed, entry: number, "it does not have the members of an entry") }
    // A line in another form would have another hash when it is written again.
    guard isCompact, Self.hasOneForm(json, number, previous, record), let sealed = SealedLine(line),
      hasItsHash(sealed)
    else { throw EvidenceFault(.changed, entry: number, "its hash is not that of its content") }
    self.init(number, previous, record, sealed.stated, line: line)
  }

  private init(
    _ number: Int64, _ previous: EvidenceHash, _ record: EvidenceRecord, _ hash: EvidenceHash, line: [UInt8]
  ) {
    self.number = number
    self.previous = previous
    self.record = record
    self.hash = hash
    self.line = line
  }

  /// The members of a line, in their order.
  fileprivate static let names = [
    "number", "previous", "kind", "time", "realm", "journey", "node", "username", "userId", "device", "key",
    "attestation", "transaction", "jws", "hash",
  ]

  /// The same members with the account's id, which entries have only since accounts have one.
  private static let namesWithAccount = Array(names.dropLast()) + ["account", "hash"]

  /// Whether a compact line has the text of ``line``: these members only, in their order, and no value whose text differs from the
  /// entry's (1.0 for 1, or base64url with other last bits).
  private static func hasOneForm(
    _ json: JSONObject, _ number: Int64, _ previous: EvidenceHash, _ record: EvidenceRecord
  ) -> Bool {
    let names = record.accountID == nil ? names : namesWithAccount
    return json.count == names.count && zip(json, names).allSatisfy { $0.name.hasSameBytes(as: $1) }
      && json["number", usuallyAt: 0] == .integer(number)
      && json["previous", usuallyAt: 1] == .string(previous.text)
      && json["kind", usuallyAt: 2] == .string(record.kind.rawValue)
      && json["time", usuallyAt: 3] == .integer(record.time)
  }

  /// The hashed text: all members but the hash, without the closing brace.
  private static func text(
    _ number: Int64, _ previous: EvidenceHash, _ record: EvidenceRecord
  ) -> [UInt8] {
    var text = body(number, previous, record).serialized
    text.removeLast()
    return text
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
    var body: JSONObject = [
      "number": .integer(number), "previous": .string(previous.text), "kind": .string(record.kind.rawValue),
      "time": .integer(record.time), "realm": .string(record.realm), "journey": .string(record.journey),
      "node": .string(record.nodeID), "username": .string(record.username),
      "userId": .string(record.userID), "device": .string(record.device), "key": .object(record.key),
      "attestation": record.attestation.map { .object($0) } ?? .null,
      "transaction": record.transaction.map { .object($0) } ?? .null, "jws": .string(record.jws),
    ]
    if let account = record.accountID { body["account"] = .string(account) }
    return body
  }
}

extension EvidenceRecord {
  /// Reads the members of an entry; `nil` when one is missing or has the wrong type.
  fileprivate init?(_ json: JSONObject) {
    func text(_ name: String, _ place: Int) -> String? { json[name, usuallyAt: place]?.stringValue }
    guard let kind = text("kind", 2).flatMap(Kind.init),
      let time = json["time", usuallyAt: 3]?.integerValue, let realm = text("realm", 4),
      let journey = text("journey", 5), let nodeID = text("node", 6), let username = text("username", 7),
      let userID = text("userId", 8), let device = text("device", 9),
      let key = json["key", usuallyAt: 10]?.objectValue,
      let attestation = json["attestation", usuallyAt: 11],
      let transaction = json["transaction", usuallyAt: 12], let jws = text("jws", 13)
    else { return nil }
    for optional in [attestation, transaction] where !optional.isNull && optional.objectValue == nil {
      return nil
    }
    let account = json.count == EvidenceEntry.names.count ? nil : json["account", usuallyAt: 14]
    if let account, account.stringValue?.isEmpty ?? true { return nil }
    self.init(
      kind: kind, time: time, realm: realm, journey: journey, nodeID: nodeID, username: username,
      userID: userID, accountID: account?.stringValue, device: device, key: key,
      attestation: attestation.objectValue,
      transaction: transaction.objectValue, jws: jws)
  }
}
