internal import Bytes
public import EvidenceLedger
public import Foundation
internal import GRDB

/// The ledger of a server's data folder, to be read only, whether the server runs or not.
public final class EvidenceArchive: LedgerArchive {
  private let database: DatabaseQueue
  private let serverKey: ServerKey
  private let ledger: SealedLedger
  private let place: String

  /// Opens `sealring.sqlite` and `server.key` of the folder. Neither is changed or created.
  ///
  /// - Throws: ``StoreError``, saying what is missing.
  public convenience init(directory: URL) throws { try self.init(directory: directory, keys: []) }

  /// The same, with the server key from `keys`; from the folder when these are none.
  package init(directory: URL, keys: [any ServerKeySource]) throws {
    let files = StoreDirectory(directory)
    place = files.path(of: "sealring.sqlite")
    do {
      let sources = ServerKeySources(keys, folder: files)
      guard let key = try ServerKey(existingIn: sources), FileManager.default.fileExists(atPath: place) else {
        throw StoreError.unavailable(
          "\(directory.path) has no sealring.sqlite and server.key; name the folder that the server has as --data"
        )
      }
      var configuration = Configuration()
      configuration.readonly = true
      configuration.label = "sealring.evidence"
      configuration.busyMode = .timeout(SQLiteStore.lockPatience)
      let database = try DatabaseQueue(path: place, configuration: configuration)
      guard
        let ledger = try database.read({ db in
          try db.takeKeys(into: key)
          return try db.inspectedLedger(key, LedgerMark(folder: files))
        })
      else {
        throw StoreError.unavailable("\(place) has no ledger yet; start a server of this version on it once")
      }
      self.database = database
      self.ledger = ledger
      serverKey = key
    } catch {
      throw StoreError.translating(error, place: place, subject: "")
    }
  }

  public var header: EvidenceHeader { ledger.header }

  public func entry(number: Int64) async throws -> EvidenceEntry? {
    try await read { try $0.ask(EvidenceSQL.entry(number: number)) }
  }

  public func entries(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    try await read { try $0.ask(EvidenceSQL.page(query)) }
  }

  public func knows(username: String?, realm: String) async throws -> Bool {
    try await read { try $0.ask(EvidenceSQL.knows(username: username, realm: realm)) }
  }

  public func export(
    at date: Date, write: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> EvidenceCheckpoint {
    let (chain, signer) = try await read { [ledger, serverKey] db in
      let signer = try db.ask(EvidenceSQL.signer(serverKey))
      var piece = ledger.header.line + [Self.lineEnd]
      let chain = try db.walk(ledger) { line in
        piece += line
        piece.append(Self.lineEnd)
        guard piece.count >= Self.pieceCount else { return }
        try write(piece)
        piece.removeAll(keepingCapacity: true)
      }
      try write(piece)
      return (chain, signer)
    }
    let checkpoint = try await EvidenceCheckpoint(
      of: chain, at: date.millisecondsSince1970, signer: signer)
    try write(checkpoint.line + [Self.lineEnd])
    return checkpoint
  }

  public func advance(
    _ frontier: LedgerFrontier, to date: Date, visit: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> LedgerFrontier {
    guard frontier.checkpoint.header == header else {
      throw EvidenceFault(.ledger, "the earlier checkpoint is of another ledger")
    }
    let (chain, signer) = try await read { [ledger, serverKey] db in
      let start = try frontier.chain(removed: db.removedEntries(of: ledger))
      return (try db.walk(ledger, from: start, visit), try db.ask(EvidenceSQL.signer(serverKey)))
    }
    let signed = try await EvidenceCheckpoint(of: chain, at: date.millisecondsSince1970, signer: signer)
    return try frontier.continued(by: chain, signed: signed)
  }

  private static let lineEnd = UInt8(ascii: "\n")
  private static let pieceCount = 256 << 10

  /// In one transaction, which sees one moment of the database however long it takes.
  private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws
    -> Value
  {
    do { return try await database.read(body) } catch {
      throw StoreError.translating(error, place: place, subject: "")
    }
  }
}
