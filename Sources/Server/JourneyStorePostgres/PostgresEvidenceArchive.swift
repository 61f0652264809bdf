internal import Bytes
package import EvidenceLedger
package import Foundation
package import JourneyStore

/// The ledger of servers on PostgreSQL, to be read only. A replica will do.
package struct PostgresEvidenceArchive: EvidenceReader {
  package let header: EvidenceHeader
  private let address: String
  private let serverKey: ServerKey
  private let ledger: SealedLedger

  /// - Parameter directory: of `server.key`.
  /// - Throws: ``StoreError``, saying what is missing.
  package init(_ address: String, directory: URL) async throws {
    let (key, ledger) = try await PostgresSnapshot.read(address) { snapshot in
      _ = try await snapshot.schemaVersion()
      let key = try await snapshot.key(in: directory)
      guard let ledger = try await snapshot.transaction.ledger(key: key) else {
        throw StoreError.unavailable("the database has no ledger yet; start a server on it once")
      }
      return (key, ledger)
    }
    (self.address, serverKey, self.ledger, header) = (address, key, ledger, ledger.header)
  }

  package func entry(number: Int64) async throws -> EvidenceEntry? {
    try await PostgresSnapshot.read(address) { snapshot in
      try await snapshot.transaction.all(
        "evidence", "SELECT number, line FROM evidence WHERE number = ?", [number], SealedLedger.entry
      ).first
    }
  }

  package func entries(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    try await PostgresSnapshot.read(address) { snapshot in
      try await snapshot.transaction.all(
        "evidence", EvidenceSQL.page, query.pageValues, SealedLedger.entry)
    }
  }

  package func knows(username: String?, realm: String) async throws -> Bool {
    let key = AccountKey(username: username ?? "", realm: realm)
    let values: StatementValues = [key.realm, username == nil ? nil : key.name]
    return try await PostgresSnapshot.read(address) { snapshot in
      try await snapshot.transaction.run(
        """
        SELECT EXISTS (SELECT 1 FROM users WHERE realm_key = ?1 AND (?2 IS NULL OR name_key = ?2))
          OR EXISTS (SELECT 1 FROM evidence WHERE realm_key = ?1 AND (?2 IS NULL OR name_key = ?2))
        """, values
      ).flag()
    }
  }

  package func export(
    at date: Date, write: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> EvidenceCheckpoint {
    let (chain, signer) = try await PostgresSnapshot.read(address) { snapshot in
      let sealedKey = try await snapshot.transaction.run([SecretSQL.one(SealedLedger.keyName)])[0]
        .sealedSecret()
      try write(ledger.header.line + [Self.lineEnd])
      let chain = try await snapshot.walk(ledger) { lines in
        try write(Array(lines.map { $0 + [Self.lineEnd] }.joined()))
      }
      return (chain, try SealedLedger.signer(sealedKey, serverKey: serverKey))
    }
    let checkpoint = try await EvidenceCheckpoint(of: chain, at: date.millisecondsSince1970, signer: signer)
    try write(checkpoint.line + [Self.lineEnd])
    return checkpoint
  }

  private static let lineEnd = UInt8(ascii: "\n")
}

extension PostgresTransaction {
  /// The ledger of the database; `nil` when there is none.
  func ledger(key: ServerKey) async throws -> SealedLedger? {
    try await all("evidence_ledger", "SELECT header FROM evidence_ledger WHERE id = 1", []) { try $0.text() }
      .first.map { try SealedLedger(line: $0, serverKey: key) }
  }
}

extension PostgresSnapshot {
  /// Walks over all lines in order, checking the chain and that it ends at the sealed head.
  func walk(
    _ ledger: SealedLedger, _ visit: ([[UInt8]]) throws -> Void
  ) async throws -> EvidenceChain {
    var chain = EvidenceChain(header: ledger.header)
    try await rows("SELECT line FROM evidence ORDER BY number") { answer in
      let lines = try answer.all("evidence") { Array(try $0.text().utf8) }
      for line in lines {
        do throws(EvidenceFault) { try chain.append(line) } catch {
          throw StoreError.corrupt("table evidence: \(error)")
        }
      }
      try visit(lines)
    }
    let head = try await ledger.head([transaction.run([EvidenceSQL.end])[0]])
    guard head.number == chain.count, head.hash == chain.head else {
      throw StoreError.corrupt("table evidence: entry \(chain.count) is not the one that was sealed")
    }
    return chain
  }
}

extension EvidenceSQL {
  /// The end of the chain, for those who hold no lock because they see one moment.
  static var end: Statement {
    Statement(
      """
      SELECT seal, number, hash FROM evidence_ledger LEFT JOIN evidence
        ON number = (SELECT max(number) FROM evidence)
      """)
  }
}
