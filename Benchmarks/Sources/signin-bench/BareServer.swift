import BenchmarkServer
import Crypto
import Foundation
import GRDB
import Hummingbird
import Synchronization

/// What no durable two-request sign-in can do without: JSON of 1 KB in and out, one key import and signature
/// verification, two commits that concurrent requests share. No routing to speak of, no policies, no reads.
enum BareServer {
  struct Message: Codable, ResponseEncodable {
    struct Callback: Codable {
      struct Field: Codable {
        var name: String
        var value: String
      }
      var type: String
      var output: [Field]
      var input: [Field]
    }
    var authId: String
    var callbacks: [Callback]
  }

  static func run(folder: URL) async throws {
    let writer = try SharedCommits(file: folder.appending(path: "bare.sqlite").path(percentEncoded: false))
    let router = Router()
    router.post("start") { request, context -> Message in
      let message = try await request.decode(as: Message.self, context: context)
      try await writer.insert(Data(repeating: 7, count: 400))
      return message
    }
    router.post("finish") { request, context -> Message in
      let message = try await request.decode(as: Message.self, context: context)
      let fields = message.callbacks[0].input
      guard let key = Data(base64Encoded: fields[0].value),
        let signature = Data(base64Encoded: fields[1].value)
      else {
        throw HTTPError(.badRequest)
      }
      let signed = Data(message.callbacks[0].output[0].value.utf8)
      let verified = try P256.Signing.PublicKey(x963Representation: key).isValidSignature(
        P256.Signing.ECDSASignature(rawRepresentation: signature), for: signed)
      guard verified else { throw HTTPError(.unauthorized) }
      try await writer.insert(Data(repeating: 8, count: 400))
      return message
    }
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        print(channel.localAddress?.port ?? 0)
        fflush(nil)
      })
    try await application.run()
  }
}

/// One writer; rows that arrive during a commit go together into the next one.
final class SharedCommits: Sendable {
  private typealias Waiting = (row: Data, done: CheckedContinuation<Void, any Error>)
  private struct State {
    var waiting: [Waiting] = []
    var isRunning = false
  }

  private let database: DatabaseQueue
  private let state = Mutex(State())

  init(file: String) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    database = try DatabaseQueue(path: file, configuration: configuration)
    try database.write {
      try $0.execute(sql: "CREATE TABLE rows (id INTEGER PRIMARY KEY, row BLOB NOT NULL)")
    }
    guard try database.read({ try Int.fetchOne($0, sql: "PRAGMA synchronous") }) == 2 else {
      throw BenchError("SQLite does not run with synchronous = FULL")
    }
  }

  func insert(_ row: Data) async throws {
    try await withCheckedThrowingContinuation { done in
      let mustStart = state.withLock { state in
        state.waiting.append((row, done))
        defer { state.isRunning = true }
        return !state.isRunning
      }
      if mustStart { commitNext() }
    }
  }

  private func commitNext() {
    database.asyncWriteWithoutTransaction { [self] database in
      while true {
        let batch = state.withLock { state in
          defer { state.waiting = [] }
          state.isRunning = !state.waiting.isEmpty
          return state.waiting
        }
        if batch.isEmpty { return }
        do {
          try database.inTransaction {
            let insert = try database.cachedStatement(sql: "INSERT INTO rows (row) VALUES (?)")
            for waiting in batch { try insert.execute(arguments: [waiting.row]) }
            return .commit
          }
          for waiting in batch { waiting.done.resume() }
        } catch {
          for waiting in batch { waiting.done.resume(throwing: error) }
        }
      }
    }
  }
}
