import ArgumentParser
import Assembly
import CommandSettings
import Foundation
import JourneyStore
import Logging

/// Where a server's database and keys are, as its own options say.
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

  /// What `sealring serve` would open.
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

  /// The data folder, when keys are made in it.
  var folderOfKeys: StoreDirectory? {
    get throws {
      let configuration = configuration
      guard configuration.serverKeys.isEmpty, let folder = try StoreOpening.place(configuration).folder
      else { return nil }
      return StoreDirectory(folder)
    }
  }

  /// Runs `body` with the store that is there, and closes it.
  ///
  /// - Throws: `CommandFailure` when there is none, rather than making one; when a step of a rotation is refused.
  func use(
    _ body: (_ store: any ServerStore, _ rotation: ServerKeyRotation) async throws -> Void
  ) async throws {
    do {
      switch try StoreOpening.place(configuration) {
      case .directory(let folder):
        _ = try LocalStore(ServerPlace(data: folder.path(percentEncoded: false), database: nil))
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
  /// What the key is for, in one word.
  func state(current: String?) -> String {
    if isRevoked { return "revoked" }
    if isRetired { return "retired" }
    if activatedAt == nil { return "announced" }
    return id == current ? "active" : "accepted"
  }
}
