import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import FRDeviceBinding
import PingBinding
import PingJourney
import PingOrchestrate
import PingStorage

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where the program's keys are, and what its person was told.
struct ProgramsDevice: Sendable {
  let keyStore = MemoryKeyStore()
  let storage = MemoryStorage<[PingBinding.UserKey]>()
  let prompts = Locked<[String]>([])

  /// Makes this device the one that the earlier SDK's names work with, and `server` the server.
  ///
  /// - Parameter clock: What measures the time limits.
  func start(on server: String = "http://127.0.0.1:9/am", clock: ManualClock? = nil) throws {
    try FRAuth.start(options: FROptions(url: server, realm: "alpha", applicationId: "com.sealring.cli")) {
      $0.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
    }
    FRDeviceBinding.configure { [self] config in
      config.keyStore = keyStore
      config.userKeyStorage = UserKeyStorageConfig(storage: storage)
      config.pinCollector = Person(prompts: prompts)
      if let clock { config.clock = clock }
    }
  }
}

extension ProgramsDevice {
  /// Starts with a server that says `step` to everything.
  ///
  /// - Parameter sent: Receives what it is sent.
  func start(answering step: String, sent: @escaping @Sendable (String) -> Void) throws {
    try FRAuth.start(options: FROptions(url: "https://am.example.com/am", realm: "alpha")) { config in
      config.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
      config.httpClient = HttpClient { request in
        sent(String(decoding: request.httpBody ?? Data(), as: UTF8.self))
        let address = request.url ?? URL(fileURLWithPath: "/")
        guard
          let head = HTTPURLResponse(
            url: address, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: ["Content-Type": "application/json"])
        else { throw URLError(.badServerResponse) }
        return (Data(step.utf8), head)
      }
    }
    FRDeviceBinding.registerCallbacks()
  }
}

/// Who is asked for a PIN when the program names no collector.
private final class Person: PingBinding.PinCollector, Sendable {
  let prompts: Locked<[String]>

  init(prompts: Locked<[String]>) { self.prompts = prompts }

  func collectPin(prompt: PingBinding.Prompt, completion: @escaping @Sendable (String?) -> Void) {
    prompts.withLock { $0.append("\(prompt.title)/\(prompt.subtitle)/\(prompt.description)") }
    completion("471108")
  }
}
