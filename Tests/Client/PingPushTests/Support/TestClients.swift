import CommonFixtures
import Concurrency
import Foundation
import PingLogger
import PrivateFiles

@testable import PingPush

/// A folder that ends with the test.
func withHome(_ body: (ClientHome) async throws -> Void) async throws {
  let folder = TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  try await body(ClientHome(directory: folder.url))
}

/// A client over a storage, with a clock of the test's, that fetches its messages.
func makeClient(
  _ storage: any PushStorage, clock: ManualDate = ManualDate(Date()),
  _ configure: (PushConfiguration) -> Void = { _ in }
) async throws -> PushClient {
  try await PushClient.createClient { config in
    config.storage = storage
    config.device = PushDeviceDescription(
      type: "linux", communicationType: PushDeviceDescription.direct, name: "Test Device")
    config.dependencies.now = { clock.now }
    // Nothing that is waited for in a test takes time.
    config.dependencies.pause = { _ in await Task.yield() }
    configure(config)
  }
}

/// Keeps what is logged.
final class KeptLog: Logger {
  private let kept = Locked<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  func d(_ message: String) { kept.withLock { $0.append(message) } }
  func i(_ message: String) { d(message) }
  func w(_ message: String, error: (any Error)?) { d("\(message) \(error.map { "\($0)" } ?? "")") }
  func e(_ message: String, error: (any Error)?) { w(message, error: error) }
}
