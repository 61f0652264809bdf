internal import Bytes
internal import JourneyStore
internal import Logging
internal import PasswordHashing
internal import ServiceLifecycle

/// Lets checks for unknown names cost what those for accounts do: at start, and from time to time while accounts renew
/// their hashes, until the server shuts down.
struct DecoyCostService: Service, Redacted {
  let store: any UserStore
  let passwords: PasswordHasher
  let secret: [UInt8]
  let logger: Logger
  var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(3600)) }

  func refresh() async throws {
    passwords.setDecoys(like: try await store.passwordHashKinds(), secret: secret)
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await pause()) != nil {
        do { try await refresh() } catch {
          logger.error("the costs of password hashes could not be counted", metadata: ["cause": "\(error)"])
        }
      }
    }
  }

  var description: String { "DecoyCostService" }
}
