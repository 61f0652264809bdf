internal import Crypto
package import EvidenceLedger
internal import Bytes
internal import Foundation
package import JOSE
internal import StrictJSON

/// The ledger of evidence of one database, without the statements that read and write it.
///
/// Beside the entries there is one row for the ledger itself, with a seal: a MAC over the number and the hash of the last entry, under a
/// key derived from the server key. Somebody who can write to the database but does not have the server key can neither add an entry nor
/// remove the last ones unnoticed: the next append and every export detect it.
package struct SealedLedger: Sendable {
  package let header: EvidenceHeader
  private let serverKey: ServerKey
  private static let sealPurpose = "sealring evidence head 1"

  /// Name of the private key among the server's secrets.
  package static let keyName = "evidence ledger key"

  private init(header: EvidenceHeader, serverKey: ServerKey) {
    self.header = header
    self.serverKey = serverKey
  }

  /// The stored ledger whose header is `line`.
  package init(line: String, serverKey: ServerKey) throws {
    do throws(EvidenceFault) {
      self.init(header: try EvidenceHeader(line: Array(line.utf8)), serverKey: serverKey)
    } catch {
      throw StoreError.corrupt("table evidence_ledger: \(error.reason); restore it from a backup")
    }
  }

  /// A new ledger with a key of its own, which is stored among the secrets, and the statements that store both.
  package static func create(
    serverKey: ServerKey, randomBytes: (Int) -> [UInt8]
  ) throws -> (ledger: SealedLedger, insertions: [SQLStatement]) {
    let privateKey = P256.Signing.PrivateKey()
    let header = EvidenceHeader(
      ledger: Base64URL.encode(randomBytes(16)),
      key: try JWK(p256X963: [UInt8](privateKey.publicKey.x963Representation), keyID: nil))
    let ledger = SealedLedger(header: header, serverKey: serverKey)
    let sealedKey = try serverKey.seal([UInt8](privateKey.rawRepresentation), named: keyName)
    return (
      ledger,
      [
        .insert(["name": keyName, "sealed": sealedKey], into: "server_secrets"),
        .insert(["id": 1, "header": ledger.line, "seal": try ledger.seal().bytes], into: "evidence_ledger"),
      ]
    )
  }

  package var fingerprint: EvidenceHash { header.fingerprint }

  /// The header as it is stored.
  package var line: String { String(decoding: header.line, as: UTF8.self) }

  /// The signer of checkpoints.
  ///
  /// - Parameter sealedKey: the secret ``keyName`` as it is stored.
  package static func signer(_ sealedKey: [UInt8]?, serverKey: ServerKey) throws -> P256Signer {
    guard let sealedKey else {
      throw StoreError.corrupt("table server_secrets: \(keyName) is missing; restore it from a backup")
    }
    return P256Signer(
      privateKey: try P256.Signing.PrivateKey(
        rawRepresentation: serverKey.open(sealedKey, named: keyName, in: "server_secrets")))
  }

  // MARK: The end of the chain

  /// - Parameter row: columns `seal`, and `number` and `hash` of the last entry of the lane.
  package func head(_ row: StoredRow?, of lane: EvidenceLane = .first) throws -> EvidenceLaneEnd {
    if let row {
      let number = try row.optionalInteger("number")
      let hash = try number == nil ? header.fingerprint : EvidenceHash(bytes: row.bytes("hash"))
      if let hash {
        let end = EvidenceLaneEnd(lane: lane, number: number.map(Int64.init) ?? lane.start, head: hash)
        if serverKey.isValid(try row.bytes("seal"), for: sealed(end), purpose: Self.sealPurpose) {
          return end
        }
      }
      // Without the key in use the seal cannot be judged.
      try serverKey.requireKeyInUse()
    }
    throw StoreError.corrupt(
      "table evidence: the last entry\(lane == .first ? "" : " of lane \(lane.index)") is not the one that this server wrote last; entries were removed or added "
        + "by others; keep the file for an inquiry and restore a backup")
  }

  /// The seal of a lane without entries.
  package func seal(in lane: EvidenceLane = .first) throws -> ServerKey.Code {
    try seal(EvidenceLaneEnd(lane: lane, number: lane.start, head: header.fingerprint))
  }

  /// The seal of a lane's end, under the server key in use. It is stored only if that key is not retired.
  package func seal(_ end: EvidenceLaneEnd) throws -> ServerKey.Code {
    try serverKey.authenticationCode(for: sealed(end), purpose: Self.sealPurpose)
  }

  private func sealed(_ end: EvidenceLaneEnd) -> [UInt8] {
    header.fingerprint.bytes + end.number.bigEndianBytes + end.head.bytes
  }

  // MARK: Retention

  /// How many entries, from the first leaf of the tree on, have lost their content.
  ///
  /// - Parameter row: columns `removed` and `seal`; `nil` when retention has removed nothing.
  package func removed(_ row: StoredRow?) throws -> Int64 {
    guard let row else { return 0 }
    let removed = Int64(try row.integer("removed"))
    guard serverKey.isValid(try row.bytes("seal"), for: sealed(removed: removed), purpose: Self.sealPurpose)
    else {
      throw StoreError.corrupt("table evidence_retention: this server has not written it; restore a backup")
    }
    return removed
  }

  package func seal(removed: Int64) throws -> ServerKey.Code {
    try serverKey.authenticationCode(for: sealed(removed: removed), purpose: Self.sealPurpose)
  }

  /// The bytes to seal, which are longer than those of a lane's end.
  private func sealed(removed: Int64) -> [UInt8] {
    Array("sealring evidence retention 1\n".utf8) + header.fingerprint.bytes
      + removed.bigEndianBytes
  }

  /// Makes sure that a walk over all entries has met exactly as many entries without content as retention has removed.
  package func require(removed: Int64, in chain: EvidenceChain) throws {
    guard chain.removed == removed else {
      throw StoreError.corrupt(
        "table evidence: \(chain.removed) entries have no content, but retention has removed that of \(removed)"
      )
    }
  }

  /// An entry's line as it is exported.
  ///
  /// - Parameter row: columns `number`, `line` and `hash`.
  package static func line(_ row: StoredRow) throws -> [UInt8] {
    let line = try row.text("line")
    guard line.isEmpty else { return Array(line.utf8) }
    guard let hash = EvidenceHash(bytes: try row.bytes("hash")) else {
      throw StoreError.corrupt("table evidence: a hash does not have 32 bytes")
    }
    return RemovedEntry.line(number: Int64(try row.integer("number")), hash: hash)
  }

  // MARK: Entries

  /// The record as the entry after the lane's `end`.
  package static func entry(
    _ record: EvidenceRecord, after end: EvidenceLaneEnd
  ) throws -> EvidenceEntry {
    do throws(EvidenceFault) {
      let number = end.lane.number(after: end.number, at: record.time)
      return try EvidenceEntry(number: number, previous: end.head, record: record)
    } catch {
      throw StoreError.unavailable("the evidence of \(record.username) cannot be kept: \(error.reason)")
    }
  }

  /// Bytes that an entry adds to somebody's use of a day.
  package struct Charge: Sendable {
    package let realm: String
    package let name: String
    package let limit: Int
    let whose: String

    package var exhausted: StoreError { .exhausted("\(whose) has added \(limit) bytes of evidence today") }

    /// A name that no account can have, because it contains a control character.
    fileprivate static func name(_ kind: String, _ name: String) -> String { "\u{1}\(kind) \(name)" }
  }

  /// The charges for an entry: to its account and, for an approval, to its application, too.
  ///
  /// SSH certificates are counted apart: a session is enough to get them, and they must not use up the bytes for proofs, without which the
  /// account's owner could not sign in.
  package static func charges(for record: EvidenceRecord, _ quotas: StoreQuotas) -> [Charge] {
    let account = AccountKey(username: record.username, realm: record.realm)
    func charge(_ name: String, _ limit: Int, _ whose: String) -> Charge {
      Charge(realm: account.realm, name: name, limit: limit, whose: whose)
    }
    let whose = "\(record.username) of realm \(record.realm)"
    guard record.kind != .certify else {
      let name = Charge.name("certificates", account.name)
      return [charge(name, quotas.certificateBytesPerAccountAndDay, "\(whose), by SSH certificates,")]
    }
    let own = charge(account.name, quotas.evidenceBytesPerAccountAndDay, whose)
    guard let application = record.transaction?["application"]?.stringValue,
      record.transaction?["nonce"] != nil
    else { return [own] }
    let name = Charge.name("application", application)
    return [own, charge(name, quotas.evidenceBytesPerApplicationAndDay, "application \(application)")]
  }

  /// The day that a record counts for, in days since 1970, by the record's clock.
  package static func day(of record: EvidenceRecord) -> Int64 { record.time / 86_400_000 }

  /// - Parameter row: columns `number` and `line`.
  package static func entry(_ row: StoredRow) throws -> EvidenceEntry {
    let number = Int64(try row.integer("number"))
    let line = try row.text("line")
    do throws(EvidenceFault) {
      let entry = try EvidenceEntry(line: Array(line.utf8))
      guard entry.number == number else {
        throw EvidenceFault(.changed, entry: number, "its line is that of entry \(entry.number)")
      }
      return entry
    } catch {
      throw StoreError.corrupt("table evidence, number \(number): \(error.reason)")
    }
  }
}
