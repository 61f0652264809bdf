public import Assembly
public import Foundation
import JourneyStore
public import Logging

/// Sealring as the process that is measured.
public enum ServerRole {
  /// Its data are in `folder`, on a free port of this machine.
  public static func configuration(folder: URL, logLevel: Logger.Level = .warning) -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = 0
    configuration.dataDirectory = folder.appending(path: "sealring")
    configuration.administratorPassword = Secret("a benchmark's administrator")
    // One address stands for all clients here, and its few accounts sign all the time.
    configuration.limits.requestsPerAddress = nil
    configuration.limits.requestsPerDevice = nil
    configuration.limits.stored.evidenceBytesPerAccountAndDay = .max
    var logger = Logger(label: "sealring", factory: { StreamLogHandler.standardError(label: $0) })
    logger.logLevel = logLevel
    configuration.logger = logger
    return configuration
  }

  /// Adds an account of the realm alpha, unless it is there.
  ///
  /// - Returns: whether it is new.
  @discardableResult
  public static func addUser(
    _ name: String, passwordHash: String? = nil, to server: SealringServer
  ) async throws -> Bool {
    guard try await server.store.user(named: name, realm: "alpha") == nil else { return false }
    try await server.store.createUser(
      UserRecord(realm: "alpha", username: name, passwordHash: passwordHash, createdAt: Date()))
    return true
  }

  /// Runs the server, and prints its port for ``ServerChild``.
  public static func run(_ server: SealringServer) async throws {
    try await server.run { port in
      print(port)
      fflush(nil)
    }
  }
}
