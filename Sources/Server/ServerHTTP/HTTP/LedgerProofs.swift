package import Concurrency
internal import EvidenceLedger
package import Foundation
internal import HTTPTypes
package import Hummingbird
package import JourneyStore
internal import NIOCore

/// Proofs that an entry is in the ledger: the same file on every page, to administrators and to applications. Of the other entries it has
/// hashes only.
package struct LedgerProofs: Sendable {
  /// The whole ledger; `nil` for one in memory, which has no proofs.
  package let archive: (@Sendable () async throws -> any LedgerArchive)?

  /// One at a time: each reads the whole ledger.
  package let turn = AsyncMutex()

  package init(archive: (@Sendable () async throws -> any LedgerArchive)?) { self.archive = archive }

  /// The proof of the entry, as `sealring audit prove` writes it. Who may have it is the caller's to decide.
  ///
  /// - Throws: 404 for a ledger in memory.
  package func file(of number: Int64, at now: Date) async throws -> Response {
    guard let archive else { throw ErrorResponse.notFound("A ledger in memory has no proofs.") }
    let made = try await turn.withLock {
      let maker = Locked(EvidenceProofMaker(.inclusion(number, at: nil)))
      _ = try await archive().export(at: now) { piece in try maker.withLock { try $0.take(piece) } }
      return try maker.withLock { try $0.finish() }
    }
    guard case .inclusion(let inclusion) = made else {
      throw EvidenceFault(.proof, "something else than a proof was made")
    }
    return Self.download("evidence-\(number).json", "application/json", inclusion.file)
  }

  package static func download(_ name: String, _ type: String, _ bytes: [UInt8]) -> Response {
    var headers = PageHeaders.common
    headers[.contentType] = type
    headers[.contentDisposition] = "attachment; filename=\"\(name)\""
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
