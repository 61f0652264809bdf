internal import Logging
internal import ServiceLifecycle

/// Looks every second whether another server on the same database has created or deleted a realm, until the server shuts down.
struct RealmRefreshService: Service, CustomStringConvertible {
  let realms: RealmDirectory
  let logger: Logger
  var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await pause()) != nil {
        do { try await realms.refresh() } catch {
          logger.error("the realms could not be read", metadata: ["cause": "\(error)"])
        }
      }
    }
  }

  var description: String { "RealmRefreshService" }
}
