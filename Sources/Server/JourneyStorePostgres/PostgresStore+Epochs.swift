internal import Bytes
package import EvidenceLedger
package import Foundation
package import JourneyStore

/// The ledger of all lanes as one tree: epochs put the entries into an order that stays, and exports follow it.
extension PostgresStore: LedgerArchive {
  package var header: EvidenceHeader { ledger.header }

  package func entry(number: Int64) async throws -> EvidenceEntry? { try await evidence(number: number) }

  package func entries(_ query: EvidenceQuery) async throws -> [EvidenceEntry] { try await evidence(query) }

  package func knows(username: String?, realm: String) async throws -> Bool {
    try await read(EvidenceSQL.knows(username: username, realm: realm))
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
      for head in try await read(EvidenceSQL.heads(of: ledger)) where head.lane == .first {
        try await walk(&chain, to: head.end, visit)
      }
    }
    return (
      chain,
      try await EvidenceCheckpoint(
        of: chain, at: date.millisecondsSince1970, signer: read(EvidenceSQL.signer(serverKey)))
    )
  }

  /// How many entries have lost their content.
  func removedEntries() async throws -> Int64 {
    try await read(EvidenceSQL.removed(of: ledger)) ?? 0
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
      let (last, heads) = try await read(.all(EpochSQL.last, EvidenceSQL.heads(of: ledger)))
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
        of: chain, at: date.millisecondsSince1970, signer: read(EvidenceSQL.signer(serverKey)))
      let number = (known?.number ?? 0) + 1
      let row: NewRow = [
        "epoch": number, "checkpoint": String(decoding: checkpoint.line, as: UTF8.self),
        "peaks": chain.tree.peaks.flatMap(\.bytes),
      ]
      let addition = SQLStatement.insert(row, into: "evidence_epochs", onConflict: "ON CONFLICT DO NOTHING")
      if try await change("epoch \(number) of the ledger", addition.isDone) {
        return Epoch(number: number, checkpoint: checkpoint)
      }
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
    let next = try await read(EpochSQL.next(after: number)).map { try epoch($0.number, $0.line) }
    guard let epoch = next, epoch.number == number + 1 else {
      throw StoreError.corrupt("table evidence_epochs: epoch \(number + 1) is missing")
    }
    return epoch
  }

  private func epoch(_ number: Int64, _ line: String) throws -> Epoch {
    do throws(EvidenceFault) {
      return Epoch(number: number, checkpoint: try EvidenceCheckpoint(line: Array(line.utf8), header: header))
    } catch { throw StoreError.corrupt("table evidence_epochs, epoch \(number): \(error.reason)") }
  }

  /// Takes a lane's entries up to its end. Entries are only ever added, so that pages of them are one moment.
  private func walk(
    _ chain: inout EvidenceChain, to end: EvidenceLaneEnd, _ visit: ([UInt8]) throws -> Void
  ) async throws {
    // An empty lane; unless it had entries before.
    guard end.number != end.lane.start || chain.end(of: end.lane) != end else { return }
    while case let after = chain.end(of: end.lane).number, after < end.number {
      let lines = try await read(
        EvidenceSQL.part(end.lane, after: after, upTo: end.number, limit: Self.pageCount))
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
  typealias Row = (number: Int64, line: String, peaks: [UInt8])

  /// The last epoch; `nil` when there is none.
  static let last = row("ORDER BY epoch DESC LIMIT 1", [])

  static func next(after number: Int64) -> SQLQuestion<Row?> {
    row("WHERE epoch > ? ORDER BY epoch LIMIT 1", [number])
  }

  private static func row(_ which: String, _ values: StatementValues) -> SQLQuestion<Row?> {
    SQLStatement("SELECT epoch, checkpoint, peaks FROM evidence_epochs \(which)", values)
      .row(of: "evidence_epochs") { row in
        (
          number: Int64(try row.integer("epoch")), line: try row.text("checkpoint"),
          peaks: try row.bytes("peaks")
        )
      }
  }

  /// Takes the content of a lane's entries after a number, up to an end.
  static func blank(_ end: EvidenceLaneEnd, after number: Int64) -> SQLStatement {
    end.lane == .first
      ? EvidenceSQL.blank(after: number, upTo: end.number)
      : EvidenceSQL.blank(after: number, upTo: end.number, EvidenceSQL.inLane, [end.lane.index])
  }
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
