import Concurrency
import DeviceKeys
import FRDeviceBinding
import PingBinding
import PingJourney
import PingOrchestrate
import PingStorage

/// Where the program's keys are, and what its person was told.
struct ProgramsDevice: Sendable {
  let keyStore = MemoryKeyStore()
  let storage = MemoryStorage<[PingBinding.UserKey]>()
  let prompts = Locked<[String]>([])

  /// Makes this device the one that the earlier SDK's names work with, and `server` the server.
  func start(on server: String) throws {
    try FRAuth.start(options: FROptions(url: server, realm: "alpha", applicationId: "com.sealring.cli")) {
      $0.module(SessionModule.config) { $0.storage = MemoryStorage<SSOTokenImpl>() }
    }
    FRDeviceBinding.configure { [self] config in
      config.keyStore = keyStore
      config.userKeyStorage = UserKeyStorageConfig(storage: storage)
      config.pinCollector = Person(prompts: prompts)
    }
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
