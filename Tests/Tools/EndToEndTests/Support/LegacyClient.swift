import FRAuth
import PingJourney
import PingOrchestrate
import PingStorage
import SealringTesting

/// The earlier SDK's entry point. Apart from its users, for whom `Node` is that SDK's.
enum LegacyClient {
  static func start(on server: TestServer) throws {
    try FRAuth.start(options: FROptions(url: server.address, realm: "alpha")) {
      $0.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
    }
  }
}
