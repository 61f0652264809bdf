import ArgumentParser
import Assembly
import CommandSettings
import Foundation
import JourneyStore
import Logging

/// The place of a server's database and keys, with the same options as the server.
struct ServerKeyOptions: ParsableArguments {
  @Option(
    help:
      "Folder of the server's database and keys. Default: serve.data of the settings, else 'server' in the client's state folder."
  )
  var data: String?

  @Option(help: "The server's database address. Default: serve.database of the settings.")
  var database: String?

  @Option(
    help: ArgumentHelp(
      """
      Where the server's keys are, if not in its folder: file:PATH, env:NAME, credential:NAME, pkcs11:…. Default: serve.server-key of the \
      settings. Repeatable.
      """, valueName: "source"))
  var serverKey: [String] = []

  /// The configuration that `sealring serve` would use.
  private var configuration: ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.dataDirectory = data.map { URL(filePath: $0) } ?? CurrentSettings.serverFolder
    configuration.database = database ?? CurrentSettings.givenText("serve.database")
    configuration.serverKeys =
      serverKey.isEmpty ? CurrentSettings.given("serve.server-key")?.texts ?? [] : serverKey
    var logger = Logger(label: "sealring")
    logger.logLevel = .critical
    configuration.logger = logger
    return configuration
  }

  /// The data folder, if keys are created there.
  var folderOfKeys: StoreDirectory? {
    get throws {
      let configuration = configuration
      guard configuration.serverKeys.isEmpty, let folder = try StoreOpening.place(configuration).folder
      else { return nil }
      return StoreDirectory(folder)
    }
  }

  /// Runs `body` with the existing store, and closes it.
  ///
  /// - Throws: `CommandFailure` when there is no store, or when a step of a rotation is refused; no store is created.
  func use(
    _ body: (_ store: any ServerStore, _ rotation: ServerKeyRotation) async throws -> Void
  ) async throws {
    do {
      switch try StoreOpening.place(configuration) {
      case .directory(let folder):
        _ = try ServerPlace(data: folder.path(percentEncoded: false), database: nil)
          .databaseFile()
      case .memory: throw CommandFailure.invalid("A database in memory has no key to rotate.")
      case .postgres: break
      }
      let store = try await StoreOpening.open(configuration)
      try await ending({ try await store.close() }) { try await body(store, ServerKeyRotation(store)) }
    } catch let refusal as ServerKeyRotation.Refusal {
      throw CommandFailure.conflict("Not done: \(sentence(printable(refusal.description)))")
    } catch let error as StoreError {
      throw CommandFailure(sentence(printable("\(error)").capitalizedFirst))
    } catch let error as ServerSetupError {
      throw CommandFailure.invalid("\(error)")
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension ServerKeyEntry {
  /// The key's state, in one word.
  func state(current: String?) -> String {
    if isRevoked { return "revoked" }
    if isRetired { return "retired" }
    if activatedAt == nil { return "announced" }
    return id == current ? "active" : "accepted"
  }
}
