internal import Concurrency
package import Foundation
package import Logging
internal import Operations
internal import PrivateFiles
internal import StrictJSON

/// The file of clients, read again when it changes. If it is no longer valid, the clients stay as they were.
package final class ClientFile: Sendable {
  private struct State {
    var clients: OpenIDClients
    var bytes: [UInt8]
    var fault: String?
  }

  /// The file's location; `nil` when there are no clients.
  let url: URL?
  private let logger: Logger
  private let state: Locked<State>

  /// - Throws: ``ServerSetupError`` when the file cannot be read, or something in it is wrong.
  package init(_ file: URL?, logger: Logger) throws {
    url = file
    self.logger = logger
    guard let file else {
      state = Locked(State(clients: OpenIDClients(), bytes: []))
      return
    }
    do {
      let bytes = try file.bytes(atMost: Self.longest)
      let clients = try OpenIDClients(parsing: bytes)
      state = Locked(State(clients: clients, bytes: bytes))
      warn(of: clients)
    } catch {
      throw ServerSetupError("The clients in \(file.path) cannot be used: \(Self.reason(error))")
    }
  }

  /// Whether a file of clients is configured.
  package var isConfigured: Bool { url != nil }

  package var clients: OpenIDClients { state.withLock { $0.clients } }

  /// Reads the file again if it has changed.
  package func refresh() {
    guard let file = url else { return }
    do {
      let bytes = try file.bytes(atMost: Self.longest)
      guard bytes != state.withLock({ $0.bytes }) || state.withLock({ $0.fault }) != nil else { return }
      let clients = try OpenIDClients(parsing: bytes)
      state.withLock { $0 = State(clients: clients, bytes: bytes) }
      logger.notice("the clients were read again", metadata: ["clients": "\(clients.all.count)"])
      warn(of: clients)
    } catch {
      let reason = Self.reason(error)
      let isNew = state.withLock { state in
        defer { state.fault = reason }
        return state.fault != reason
      }
      guard isNew else { return }
      logger.error(
        "the clients stay as they were, because their file cannot be used",
        metadata: ["file": "\(file.path)", "cause": "\(reason)"])
    }
  }

  private func warn(of clients: OpenIDClients) {
    for warning in clients.warnings {
      logger.warning("an OpenID Connect client could be safer", metadata: ["warning": "\(warning)"])
    }
  }

  private static let longest = 16 << 20

  private static func reason(_ error: any Error) -> String {
    (error as? JSONFault).map { "\($0)." } ?? FileReason.of(error)
  }
}
