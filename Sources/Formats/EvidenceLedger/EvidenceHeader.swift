public import JOSE
internal import StrictJSON

/// The first line of a ledger: its name, and the public key that its checkpoints are signed with.
///
/// Entry 1 continues its hash, so all entries are bound to it: they cannot be moved into another ledger, and the key cannot be
/// exchanged. The hash is also the ledger's ``fingerprint``.
public struct EvidenceHeader: Sendable, Hashable {
  /// 16 random bytes, base64url.
  public let ledger: String

  /// The public key, on P-256.
  public let key: JWK

  /// The hash of the line: note it once, and recognise the ledger by it later.
  public let fingerprint: EvidenceHash

  /// The line as stored and exported, without a line end.
  public let line: [UInt8]

  /// The format of the lines that this module reads and writes.
  public static let version: Int64 = 1

  public init(ledger: String, key: JWK) {
    self.ledger = ledger
    self.key = key
    let json: JSONObject = [
      "sealring": "evidence", "version": .integer(Self.version), "ledger": .string(ledger),
      "key": .object(key.json),
    ]
    let body = Array(json.serialized.dropLast())
    fingerprint = EvidenceHash(of: body, in: .ledger)
    line = SealedLine.complete(body, with: fingerprint)
  }

  /// Reads a line.
  ///
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/header``.
  public init(line: [UInt8]) throws(EvidenceFault) {
    guard line.count <= 4096, let json = try? JSONObject(parsing: line),
      json["sealring"] == "evidence"
    else { throw EvidenceFault(.header, "the first line is not that of an evidence export") }
    guard json["version"]?.integerValue == Self.version else {
      throw EvidenceFault(
        .header, "the version in the first line is not \(Self.version); use a newer sealring")
    }
    guard let ledger = json["ledger"]?.stringValue, let key = json["key"]?.objectValue,
      let key = try? JWK(json: key), case .p256 = key.material
    else { throw EvidenceFault(.header, "the first line lacks the ledger's id or its key") }
    let header = EvidenceHeader(ledger: ledger, key: key)
    guard header.line == line else { throw EvidenceFault(.header, "the first line was changed") }
    self = header
  }
}
