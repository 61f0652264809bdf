internal import Bytes
internal import Crypto
internal import EvidenceLedger
internal import Foundation
internal import GRDB
internal import JOSE
internal import StrictJSON

/// The ledger's tables: what is read and written inside of transactions that others begin.
///
/// Beside the entries there is one row for the ledger itself, with a seal: a MAC over the number and the hash of the last
/// entry, under a key derived from the server key. Who can write to the database but does not have the server key can
/// neither add an entry nor remove the last ones without being noticed at the next append and at every export.
struct EvidenceTable: Sendable {
  let header: EvidenceHeader

  /// What bounds the entries of a day.
  var quotas = StoreQuotas()
  private let sealKey: SymmetricKey

  /// Name of the private key among the server's secrets.
  private static let keyName = "evidence ledger key"

  /// The end of the chain.
  struct Head: Sendable {
    var number: Int64
    var hash: EvidenceHash
  }

  private init(header: EvidenceHeader, serverKey: ServerKey) {
    self.header = header
    sealKey = serverKey.derived(for: "sealring evidence head 1")
  }

  // MARK: The ledger

  /// The ledger of this database; made, with a key of its own, if there is none.
  static func open(
    in db: Database, serverKey: ServerKey, randomBytes: (Int) -> [UInt8]
  ) throws -> EvidenceTable {
    if let table = try existing(in: db, serverKey: serverKey) { return table }
    let privateKey = P256.Signing.PrivateKey()
    let header = EvidenceHeader(
      ledger: Base64URL.encode(randomBytes(16)),
      key: try JWK(p256X963: [UInt8](privateKey.publicKey.x963Representation), keyID: nil))
    let table = EvidenceTable(header: header, serverKey: serverKey)
    _ = try db.change(
      "INSERT INTO server_secrets (name, sealed) VALUES (?, ?)",
      [keyName, serverKey.seal([UInt8](privateKey.rawRepresentation), named: keyName)])
    _ = try db.change(
      "INSERT INTO evidence_ledger (id, header, seal) VALUES (1, ?, ?)",
      [
        String(decoding: header.line, as: UTF8.self),
        table.seal(of: Head(number: 0, hash: header.fingerprint)),
      ])
    return table
  }

  /// The ledger of this database; `nil` when there is none.
  static func existing(in db: Database, serverKey: ServerKey) throws -> EvidenceTable? {
    let lines = try db.all("evidence_ledger", "SELECT header FROM evidence_ledger", []) { try $0.text() }
    guard let line = lines.first else { return nil }
    do throws(EvidenceFault) {
      return EvidenceTable(header: try EvidenceHeader(line: Array(line.utf8)), serverKey: serverKey)
    } catch {
      throw StoreError.corrupt("table evidence_ledger: \(error.reason); restore it from a backup")
    }
  }

  /// Signs checkpoints.
  func signer(in db: Database, serverKey: ServerKey) throws -> P256Signer {
    let sealed = try db.all(
      "server_secrets", "SELECT sealed FROM server_secrets WHERE name = ?", [Self.keyName]
    ) { try $0.bytes() }
    guard let sealed = sealed.first else {
      throw StoreError.corrupt("table server_secrets: \(Self.keyName) is missing; restore it from a backup")
    }
    let key = try P256.Signing.PrivateKey(
      rawRepresentation: serverKey.open(
        sealed, named: Self.keyName, in: "server_secrets"))
    return P256Signer(privateKey: key)
  }

  // MARK: Entries

  /// Chains the record to the last entry. The transaction must hold the write lock.
  ///
  /// - Throws: ``StoreError/exhausted(_:)`` when the account has added all that it may today, and the clock that counts is
  ///   the record's.
  func append(_ record: EvidenceRecord, to db: Database) throws -> Int64 {
    let head = try head(in: db)
    let entry: EvidenceEntry
    do throws(EvidenceFault) {
      entry = try EvidenceEntry(number: head.number + 1, previous: head.hash, record: record)
    } catch {
      throw StoreError.unavailable("the evidence of \(record.username) cannot be kept: \(error.reason)")
    }
    let account = AccountKey(username: record.username, realm: record.realm)
    let (day, count) = (record.time / 86_400_000, entry.line.count)
    try Self.charge(
      account.realm, account.name, day: day, bytes: count, limit: quotas.evidenceBytesPerAccountAndDay,
      "\(record.username) of realm \(record.realm)", in: db)
    // An approval counts for its application, too. No account's name holds a control character.
    if let application = record.transaction?["application"]?.stringValue, record.transaction?["nonce"] != nil
    {
      try Self.charge(
        account.realm, "\u{1}application \(application)", day: day, bytes: count,
        limit: quotas.evidenceBytesPerApplicationAndDay, "application \(application)", in: db)
    }
    _ = try db.change(
      "INSERT INTO evidence (number, realm_key, name_key, line, hash) VALUES (?, ?, ?, ?, ?)",
      [
        entry.number, account.realm, account.name, String(decoding: entry.line, as: UTF8.self),
        Data(entry.hash.bytes),
      ])
    _ = try db.change(
      "UPDATE evidence_ledger SET seal = ? WHERE id = 1",
      [seal(of: Head(number: entry.number, hash: entry.hash))])
    return entry.number
  }

  /// Counts the bytes of an entry, in the write that adds it.
  ///
  /// - Throws: `StoreError.exhausted` when that would be more than a day's.
  private static func charge(
    _ realm: String, _ name: String, day: Int64, bytes: Int, limit: Int, _ whose: String, in db: Database
  ) throws {
    guard bytes <= limit, try db.change(use, [realm, name, day, bytes, limit]) == 1 else {
      throw StoreError.exhausted("\(whose) has added \(limit) bytes of evidence today")
    }
  }

  /// ?1 realm, ?2 name, ?3 day, ?4 bytes of an entry, ?5 bytes of a day. Changes nothing when they are used up. A day that
  /// is over does not come again, even if a clock is set back.
  private static let use = """
    INSERT INTO evidence_use (realm_key, name_key, day, bytes) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET
      bytes = CASE WHEN ?3 > day THEN ?4 ELSE bytes + ?4 END, day = max(day, ?3)
    WHERE ?3 > day OR bytes + ?4 <= ?5
    """

  /// The end of the chain, if the seal says that it is the end.
  func head(in db: Database) throws -> Head {
    let sql = """
      SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence
        ON number = (SELECT max(number) FROM evidence)
      """
    let found = try db.all("evidence_ledger", sql, []) { row -> (Data, Head)? in
      let seal = Data(try row.bytes("seal"))
      guard let number = try row.optionalInteger("number") else {
        return (seal, Head(number: 0, hash: header.fingerprint))
      }
      return EvidenceHash(bytes: try row.bytes("hash")).map { (seal, Head(number: Int64(number), hash: $0)) }
    }
    guard let (seal, head) = found.first ?? nil,
      HMAC<SHA256>.isValidAuthenticationCode(seal, authenticating: sealed(head), using: sealKey)
    else {
      throw StoreError.corrupt(
        "table evidence: the last entry is not the one that this server wrote last; entries were removed or added "
          + "by others; keep the file for an inquiry and restore a backup")
    }
    return head
  }

  private func seal(of head: Head) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: sealed(head), using: sealKey))
  }

  private func sealed(_ head: Head) -> [UInt8] {
    header.fingerprint.bytes + withUnsafeBytes(of: head.number.bigEndian, Array.init) + head.hash.bytes
  }

  /// The entry of that number, or `nil`.
  static func entry(number: Int64, in db: Database) throws -> EvidenceEntry? {
    try db.all("evidence", "SELECT number, line FROM evidence WHERE number = ?", [number], entry).first
  }

  static func entries(_ query: EvidenceQuery, in db: Database) throws -> [EvidenceEntry] {
    var conditions = ["number < ?"]
    var arguments: StatementArguments = [query.before ?? Int64.max]
    if let realm = query.realm {
      let key = AccountKey(username: query.username ?? "", realm: realm)
      conditions.append("realm_key = ?")
      arguments += [key.realm]
      if query.username != nil {
        conditions.append("name_key = ?")
        arguments += [key.name]
      }
    }
    // Times are not quite in the order of numbers: several servers have several clocks.
    for (condition, value) in [
      ("json_extract(line, '$.time') >= ?", query.since?.databaseValue),
      ("json_extract(line, '$.time') < ?", query.until?.databaseValue),
      ("json_extract(line, '$.kind') = ?", query.kind?.databaseValue),
    ] {
      guard let value else { continue }
      conditions.append(condition)
      arguments += [value]
    }
    return try db.all(
      "evidence",
      """
      SELECT number, line FROM evidence WHERE \(conditions.joined(separator: " AND "))
        ORDER BY number DESC LIMIT ? OFFSET ?
      """,
      arguments + [max(0, query.limit), max(0, query.offset)], entry)
  }

  private static func entry(_ row: StoredRow) throws -> EvidenceEntry {
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

  /// Walks over all lines in order, checking the chain and that it ends at the sealed head.
  func walk(_ db: Database, _ visit: ([UInt8]) throws -> Void) throws -> EvidenceChain {
    var chain = EvidenceChain(header: header)
    let lines = try String.fetchCursor(db, sql: "SELECT line FROM evidence ORDER BY number")
    while let line = try lines.next() {
      let line = Array(line.utf8)
      do throws(EvidenceFault) { try chain.append(line) } catch {
        throw StoreError.corrupt("table evidence: \(error)")
      }
      try visit(line)
    }
    let head = try head(in: db)
    guard head.number == chain.count, head.hash == chain.head else {
      throw StoreError.corrupt("table evidence: entry \(chain.count) is not the one that was sealed")
    }
    return chain
  }
}
