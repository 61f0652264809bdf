internal import JourneyFiles
internal import Logging
internal import Operations
package import ServiceLifecycle

extension OpenIDProvider {
  /// Reads the clients again when their file has changed, and tells clients of sign-outs.
  ///
  /// - Parameter logoutNotices: how often notices that are due are looked for.
  package func backgroundServices(logoutNotices: Duration) -> [any Service] {
    // Without clients there is nothing to read and nobody to tell.
    guard file.isConfigured else { return [] }
    let clients = RepeatedTask(
      description: "clients", interval: .seconds(2), logger: logger,
      failure: "the clients could not be read", body: { file.refresh() })
    let notices = RepeatedTask(
      description: "logout notices", interval: logoutNotices, logger: logger,
      failure: "clients could not be told of sign-outs", body: { try await notifier.run() })
    return [clients, notices]
  }
}
