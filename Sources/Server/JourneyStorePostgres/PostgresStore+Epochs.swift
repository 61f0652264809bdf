internal import Bytes
package import EvidenceLedger
package import Foundation
internal import JOSE
package import JourneyStore

/// The ledger of all lanes as one tree: epochs put the entries into an order that stays, and exports follow it.
extension PostgresStore: LedgerArchive {
  package var header: EvidenceHeader { ledger.header }

  package func entry(number: Int64) async throws -> EvidenceEntry? { try await evidence(number: number) }

  package func entries(_ query: EvidenceQuery) async throws -> [EvidenceEntry] { try await evidence(query) }

  package func knows(username: String?, realm: String) async throws -> Bool {
    let key = AccountKey(username: username ?? "", realm: realm)
    return try await read(
      """
      SELECT EXISTS (SELECT 1 FROM users WHERE realm_key = ?1 AND (?2 IS NULL OR name_key = ?2))
        OR EXISTS (SELECT 1 FROM evidence WHERE realm_key = ?1 AND (?2 IS NULL OR name_key = ?2))
      """, [key.realm, username == nil ? nil : key.name]
    ).flag()
  }

  package func export(
    at date: Date, write: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> EvidenceCheckpoint {
    let lineEnd = UInt8(ascii: "\n")
    try write(header.line + [lineEnd])
    let checkpoint = try await walk(EvidenceChain(header: header), at: date) { try write($0 + [lineEnd]) }
      .signed
    try write(checkpoint.line + [lineEnd])
    return checkpoint
  }

  package func advance(
    _ frontier: LedgerFrontier, to date: Date, visit: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> LedgerFrontier {
    guard frontier.checkpoint.header == header else {
      throw EvidenceFault(.ledger, "the earlier checkpoint is of another ledger")
    }
    let (chain, signed) = try await walk(frontier.chain(removed: removedEntries()), at: date, visit)
    return try frontier.continued(by: chain, signed: signed)
  }

  /// Takes all entries of now in the order of the tree, after those that `chain` has, and signs.
  private func walk(
    _ start: EvidenceChain, at date: Date, _ visit: ([UInt8]) throws -> Void
  ) async throws -> (chain: EvidenceChain, signed: EvidenceCheckpoint) {
    let before = try await removedEntries()
    let taken: (chain: EvidenceChain, signed: EvidenceCheckpoint)
    do { taken = try await walkThroughEpochs(start, at: date, visit) } catch {
      // Pages are not one moment of the table, and retention may have come between two.
      guard case StoreError.corrupt? = error as? StoreError, try await removedEntries() != before else {
        throw error
      }
      throw StoreError.unavailable("content was removed from the ledger while it was read; try again")
    }
    if taken.chain.removed != before { try ledger.require(removed: await removedEntries(), in: taken.chain) }
    return taken
  }

  private func walkThroughEpochs(
    _ start: EvidenceChain, at date: Date, _ visit: ([UInt8]) throws -> Void
  ) async throws -> (chain: EvidenceChain, signed: EvidenceCheckpoint) {
    var chain = start
    if let last = try await mergeLanes(at: date) {
      var number = last.number
      if chain.count == 0 {
        number = 0
      } else if let next = try await epoch(beyond: chain.count, last: last.number) {
        number = next.first.number - 1
      }
      while number < last.number {
        let epoch = try await epoch(after: number)
        number = epoch.number
        for end in epoch.checkpoint.lanes { try await walk(&chain, to: end, visit) }
        guard chain.count == epoch.checkpoint.count, epoch.checkpoint.isHead(of: chain) else {
          throw StoreError.corrupt("table evidence: the entries are not those that epoch \(number) signs")
        }
      }
      guard chain.count == last.checkpoint.count, last.checkpoint.isHead(of: chain) else {
        throw StoreError.corrupt(
          "table evidence_epochs: the last epoch does not continue what was signed before")
      }
      // The same tree; but since it was signed, content may have gone.
      if chain.removed == last.checkpoint.removed { return (chain, last.checkpoint) }
    } else {
      // Other lanes may be there, and empty.
      for head in try ledger.heads(await read([EvidenceSQL.heads])) where head.lane == .first {
        try await walk(&chain, to: head.end, visit)
      }
    }
    return (
      chain,
      try await EvidenceCheckpoint(of: chain, at: date.millisecondsSince1970, signer: ledgerSigner())
    )
  }

  /// How many entries have lost their content.
  func removedEntries() async throws -> Int64 {
    try await read("SELECT removed, seal FROM evidence_retention", [])
      .all("evidence_retention") { try ledger.removed($0) }.first ?? 0
  }

  /// A signed merge that is in the database.
  struct Epoch: Sendable {
    let number: Int64
    let checkpoint: EvidenceCheckpoint
  }

  /// Puts all entries that are not in the tree into it.
  ///
  /// Any number of servers may do this at once: the epochs are numbered, and of two with one number the first counts.
  ///
  /// - Returns: the last epoch; `nil` when no other lane than 0 has ever been used, whose order needs no epochs.
  /// - Throws: ``StoreError/corrupt(_:)`` when a lane does not end as it was sealed, or its chain does not hold.
  func mergeLanes(at date: Date) async throws -> Epoch? {
    while true {
      let answers = try await read([EpochSQL.last, EvidenceSQL.heads])
      let heads = try ledger.heads(answers)
      let last = try answers[0].all("evidence_epochs") { row in
        (
          number: Int64(try row.integer("epoch")), line: try row.text("checkpoint"),
          peaks: try row.bytes("peaks")
        )
      }.first
      guard last != nil || heads.contains(where: { $0.lane != .first && $0.number != $0.lane.start }) else {
        return nil
      }
      var chain = EvidenceChain(header: header)
      var known: Epoch?
      if let last {
        let epoch = try self.epoch(last.number, last.line)
        known = epoch
        do throws(EvidenceFault) {
          chain = try EvidenceChain(
            header: header, resuming: epoch.checkpoint,
            tree: MerkleTree(size: epoch.checkpoint.count, peaks: MerkleHash.all(last.peaks)) ?? MerkleTree())
        } catch { throw StoreError.corrupt("table evidence_epochs, epoch \(last.number): \(error.reason)") }
      }
      for head in heads { try await walk(&chain, to: head.end) { _ in } }
      if let known, known.checkpoint.count == chain.count { return known }
      let checkpoint = try await EvidenceCheckpoint(
        of: chain, at: date.millisecondsSince1970, signer: ledgerSigner())
      let number = (known?.number ?? 0) + 1
      let added = try await change(
        "epoch \(number) of the ledger",
        .insert(
          [
            "epoch": number, "checkpoint": String(decoding: checkpoint.line, as: UTF8.self),
            "peaks": chain.tree.peaks.flatMap(\.bytes),
          ], into: "evidence_epochs", onConflict: "ON CONFLICT DO NOTHING"))
      if added[0].count == 1 { return Epoch(number: number, checkpoint: checkpoint) }
      // Another server was faster; its epoch has these entries.
    }
  }

  /// The first epoch that has more entries than `count`, with the one before; `nil` when there is none.
  func epoch(
    beyond count: Int64, last: Int64
  ) async throws -> (before: Epoch?, first: Epoch)? {
    // Each epoch has more entries than the one before.
    var (lowest, highest) = (Int64(1), last + 1)
    while lowest < highest {
      let middle = lowest + (highest - lowest) / 2
      if try await epoch(after: middle - 1).checkpoint.count > count {
        highest = middle
      } else {
        lowest = middle + 1
      }
    }
    guard lowest <= last else { return nil }
    return (
      lowest > 1 ? try await epoch(after: lowest - 2) : nil, try await epoch(after: lowest - 1)
    )
  }

  func epoch(after number: Int64) async throws -> Epoch {
    let found = try await read(EpochSQL.next, [number]).all("evidence_epochs") { row in
      try epoch(Int64(row.integer("epoch")), row.text("checkpoint"))
    }
    guard let epoch = found.first, epoch.number == number + 1 else {
      throw StoreError.corrupt("table evidence_epochs: epoch \(number + 1) is missing")
    }
    return epoch
  }

  private func epoch(_ number: Int64, _ line: String) throws -> Epoch {
    do throws(EvidenceFault) {
      return Epoch(number: number, checkpoint: try EvidenceCheckpoint(line: Array(line.utf8), header: header))
    } catch { throw StoreError.corrupt("table evidence_epochs, epoch \(number): \(error.reason)") }
  }

  private func ledgerSigner() async throws -> P256Signer {
    try await SealedLedger.signer(
      read([SecretSQL.one(SealedLedger.keyName)])[0].sealedSecret(), serverKey: serverKey)
  }

  /// Takes a lane's entries up to its end. Entries are only ever added, so that pages of them are one moment.
  private func walk(
    _ chain: inout EvidenceChain, to end: EvidenceLaneEnd, _ visit: ([UInt8]) throws -> Void
  ) async throws {
    // An empty lane; unless it had entries before.
    guard end.number != end.lane.start || chain.end(of: end.lane) != end else { return }
    while case let after = chain.end(of: end.lane).number, after < end.number {
      let lines = try await read([
        EvidenceSQL.part(end.lane, after: after, upTo: end.number, limit: Self.pageCount)
      ])[0].all("evidence", SealedLedger.line)
      for line in lines {
        do throws(EvidenceFault) { try chain.append(line) } catch {
          throw StoreError.corrupt("table evidence: \(error)")
        }
        try visit(line)
      }
      if lines.isEmpty { break }
    }
    guard chain.end(of: end.lane) == end else {
      throw StoreError.corrupt(
        "table evidence: lane \(end.lane.index) does not end with entry \(end.number), as it was sealed")
    }
  }

  /// Entries that are held at a time.
  private static let pageCount = 128
}

enum EpochSQL {
  static let last = Statement(
    "SELECT epoch, checkpoint, peaks FROM evidence_epochs ORDER BY epoch DESC LIMIT 1")
  /// In lane 0, the number of the first entry that has content and is not older than ?2.
  static let firstKept = """
    SELECT coalesce(
      (SELECT min(number) FROM evidence WHERE number < ?1
        AND number > coalesce((SELECT removed FROM evidence_retention), 0)
        AND (nullif(line, '')::json->>'time')::bigint >= ?2),
      (SELECT max(number) + 1 FROM evidence WHERE number < ?1), 1)
    """

  /// Takes the content of a lane's entries after a number, up to an end.
  static func blank(_ end: EvidenceLaneEnd, after number: Int64) -> Statement {
    let change =
      """
      UPDATE evidence SET line = '', realm_key = '', name_key = '', account_id = NULL
        WHERE line <> '' AND number > ? AND number <= ?
      """
    return end.lane == .first
      ? Statement(change, [number, end.number])
      : Statement(
        "\(change) AND number & \(EvidenceLane.maximum) = ? AND number >= \(EvidenceLane.lowest)",
        [number, end.number, end.lane.index])
  }

  /// Changes nothing when the seal's key is retired.
  static func note(removed: Int64, _ seal: ServerKey.Code) -> Statement {
    Statement(
      """
      INSERT INTO evidence_retention (id, removed, seal) SELECT 1, ?1, ?2 WHERE \(KeyFence.isNotRetired("?3"))
      ON CONFLICT (id) DO UPDATE SET removed = ?1, seal = ?2
      """, [removed, seal.bytes, seal.key])
  }

  static let next = "SELECT epoch, checkpoint FROM evidence_epochs WHERE epoch > ? ORDER BY epoch LIMIT 1"
}

extension SealedLedger.Head {
  fileprivate var end: EvidenceLaneEnd { EvidenceLaneEnd(lane: lane, number: number, head: hash) }
}

extension MerkleHash {
  /// Hashes as they are stored, one after the other; none when there are bytes too many.
  fileprivate static func all(_ bytes: [UInt8]) -> [MerkleHash] {
    stride(from: 0, to: bytes.count, by: 32).compactMap { MerkleHash(bytes: Array(bytes[$0...].prefix(32))) }
  }
}
