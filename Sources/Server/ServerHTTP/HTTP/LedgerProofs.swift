internal import Concurrency
internal import EvidenceLedger
package import Foundation
package import Hummingbird
package import JourneyStore

/// Proofs that an entry is in the ledger. The file is the same on every page, for administrators and for applications. It has only the
/// hashes of other entries.
package struct LedgerProofs: Sendable {
  /// The whole ledger; `nil` for one in memory, which has no proofs.
  package let archive: (@Sendable () async throws -> any LedgerArchive)?

  /// Proofs are made one at a time, because each reads the whole ledger.
  private let turn = AsyncMutex()

  /// The askers whose proof is being made or waits for its turn.
  let waiting = Locked<Set<String>>([])

  /// The most askers at once. Each has one proof at a time, so nobody can take all turns.
  private static let mostWaiting = 16

  package init(archive: (@Sendable () async throws -> any LedgerArchive)?) { self.archive = archive }

  /// The proof of the entry, as `sealring audit prove` writes it. The caller decides whether the asker may have it.
  ///
  /// - Parameter asker: the account or application that asks.
  /// - Throws: 404 for a ledger in memory; 429 while another proof is being made for the same asker; 503 when too many wait.
  package func file(of number: Int64, for asker: String, at now: Date) async throws -> Response {
    let made = try await reading(for: asker) { archive in
      let maker = Locked(EvidenceProofMaker(.inclusion(number, at: nil)))
      _ = try await archive.export(at: now) { piece in try maker.withLock { try $0.take(piece) } }
      return try maker.withLock { try $0.finish() }
    }
    guard case .inclusion(let inclusion) = made else {
      throw EvidenceFault(.proof, "something else than a proof was made")
    }
    return .download("evidence-\(number).json", "application/json", inclusion.file)
  }

  /// The longest export that the server sends, in bytes. Longer ones need the command line, beside the data.
  private static let longestExport = 64 << 20

  /// The whole ledger, as `sealring audit export` writes it. It has the entries of all realms, so the caller decides whether the asker may
  /// have it.
  ///
  /// - Throws: as ``file(of:for:at:)``, and 413 for a ledger that is too long.
  package func export(for asker: String, at now: Date) async throws -> Response {
    let bytes = try await reading(for: asker) { archive in
      let collected = Locked<[UInt8]>([])
      _ = try await archive.export(at: now) { piece in
        let hasRoom = collected.withLock { bytes in
          let hasRoom = bytes.count + piece.count <= Self.longestExport
          if hasRoom { bytes += piece }
          return hasRoom
        }
        if !hasRoom { throw Self.tooLong }
      }
      return collected.withLock { $0 }
    }
    return .download("evidence.jsonl", "application/jsonl", bytes)
  }

  private static let tooLong = ErrorResponse(
    .contentTooLarge,
    "The ledger is longer than \(longestExport >> 20) MiB. Run `sealring audit export` where the server's data are."
  )

  /// Reads the whole ledger for an asker when it is their turn.
  ///
  /// - Throws: as ``file(of:for:at:)``.
  private func reading<Result: Sendable>(
    for asker: String, _ body: @Sendable (any LedgerArchive) async throws -> Result
  ) async throws -> Result {
    guard let archive else { throw ErrorResponse.notFound("A ledger in memory has no proofs.") }
    let refusal = waiting.withLock { askers -> ErrorResponse? in
      if askers.contains(asker) { return .tooManyRequests(retryAfter: 5) }
      guard askers.count < Self.mostWaiting else { return .unavailable("too many proofs are wanted at once") }
      askers.insert(asker)
      return nil
    }
    if let refusal { throw refusal }
    defer { waiting.withLock { _ = $0.remove(asker) } }
    return try await turn.withLock { try await body(archive()) }
  }
}
