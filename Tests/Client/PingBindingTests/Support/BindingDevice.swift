import CommonFixtures
import DeviceKeys
import Foundation
import PingBinding
import PingDeviceId
import PingJourneyPlugin
import PingStorage
import ProofFixtures
import StrictJSON
import Testing
import UserVerification

let mira = "id=mira,ou=user,o=alpha,ou=services,ou=am-config"
let challenge = "mQ2o0C1bWmXk0m3v0r6J7c0cZq2Xr8m1nqk1n3l5xX0="

struct FixedDeviceIdentifier: DeviceIdentifier {
  var id: String { "device-1" }
}

/// A device in memory: what an app's configuration would point to.
struct BindingDevice: Sendable {
  let folder = TemporaryFolder()
  var keyStore: any DeviceKeyStore = MemoryKeyStore()
  var storage: any Storage<[UserKey]> = Memory<[UserKey]>()
  var clock: any Clock<Duration> = ContinuousClock()
  let start = Date(timeIntervalSince1970: 1_767_225_600.75)

  func configure(_ config: DeviceBindingConfig) {
    config.keyStore = keyStore
    config.authorizationVault = vault
    config.userKeyStorage = UserKeyStorageConfig(storage: storage)
    config.applicationId = "com.acme.wallet"
    config.deviceIdentifier = FixedDeviceIdentifier()
    config.clock = clock
    config.issueTime = { start }
    config.notBeforeTime = { start }
    config.expirationTime = { start + TimeInterval($0) }
  }

  /// Keeps what unlocks biometric keys; nothing is written before it is needed.
  var vault: AuthorizationVault {
    AuthorizationVault(directory: folder.url.appending(path: "vault"))
  }

  /// Binds and returns the result.
  @discardableResult
  func bind(
    _ callback: DeviceBindingCallback = bindingCallback(), _ config: (DeviceBindingConfig) -> Void = { _ in }
  ) async -> Outcome {
    Outcome(
      await callback.bind {
        configure($0)
        config($0)
      })
  }

  func sign(
    _ callback: DeviceSigningVerifierCallback = signingCallback(),
    _ config: (DeviceBindingConfig) -> Void = { _ in }
  ) async -> Outcome {
    Outcome(
      await callback.sign {
        configure($0)
        config($0)
      })
  }

  /// The bound keys, as the app sees them.
  var keys: [UserKey] {
    get async throws {
      try await BindingModule.getAllKeys(userKeyStorage: UserKeyStorageConfig(storage: storage))
    }
  }

  /// The tags of the private keys.
  var privateKeyTags: [String] {
    get async throws { try await keyStore.keys().map(\.tag) }
  }

  /// Descriptions and private keys belong together, one to one, with nothing left over.
  func expectNothingLeftOver(count: Int, _ location: SourceLocation = #_sourceLocation) async throws {
    let records = try await storage.get() ?? []
    #expect(records.count == count, sourceLocation: location)
    #expect(try await keys.count == count, sourceLocation: location)
    #expect(
      try await privateKeyTags.sorted() == records.map(\.keyTag).sorted(), sourceLocation: location)
  }
}

/// What `bind()` or `sign()` returned.
struct Outcome: Sendable {
  let inputs: [String: String]
  let status: DeviceBindingStatus?

  init(_ result: Result<[String: Any], any Error>) {
    switch result {
    case .success(let json):
      inputs = PingBindingTests.inputs(of: json)
      status = nil
    case .failure(let error):
      inputs = [:]
      status = error as? DeviceBindingStatus
      if status == nil { Issue.record("\(error) is not a DeviceBindingStatus") }
    }
  }

  /// The signed proof, verified with the key in its own header.
  func token(_ location: SourceLocation = #_sourceLocation) throws -> VerifiedToken {
    let compact = try #require(inputs["jws"], sourceLocation: location)
    let jwk = try UnverifiedToken(compact).header["jwk"]?.objectValue
    return try VerifiedToken(compact, jwk: try #require(jwk, sourceLocation: location))
  }
}

/// The values of the inputs, by what follows `IDTokenN`.
func inputs(of json: [String: Any]) -> [String: String] {
  var inputs: [String: String] = [:]
  for input in json["input"] as? [[String: Any]] ?? [] {
    let name = (input["name"] as? String ?? "").drop { !$0.isNumber }.drop { $0.isNumber }
    inputs[String(name)] = input["value"] as? String
  }
  return inputs
}

func bindingCallback(
  type: String? = "NONE", user: String = mira, username: String = "mira", timeout: Int = 60,
  attestation: Bool? = nil, challenge: String = challenge, place: Int = 1
) -> DeviceBindingCallback {
  var output: [[String: Any]] = []
  // Before the challenge, which it refers to.
  if let attestation { output.append(["name": "attestation", "value": attestation]) }
  if let type { output.append(["name": "authenticationType", "value": type]) }
  output += [
    ["name": "userId", "value": user], ["name": "username", "value": username],
    ["name": "challenge", "value": challenge], ["name": "title", "value": "Protect"],
    ["name": "subtitle", "value": NSNull()], ["name": "description", "value": "Choose a PIN"],
    ["name": "timeout", "value": timeout], ["name": "unknown", "value": 1],
  ]
  let names = ["jws", "deviceName", "deviceId", "clientError"]
  let callback = DeviceBindingCallback()
  _ = (callback as any Callback).initializeNow(with: [
    "type": "DeviceBindingCallback", "output": output,
    "input": names.map { ["name": "IDToken\(place)\($0)", "value": ""] },
  ])
  return callback
}

func signingCallback(
  user: String? = nil, timeout: Int = 60, challenge: String = challenge
) -> DeviceSigningVerifierCallback {
  let callback = DeviceSigningVerifierCallback()
  _ = (callback as any Callback).initializeNow(with: [
    "type": "DeviceSigningVerifierCallback",
    "output": [
      ["name": "userId", "value": user ?? ""], ["name": "challenge", "value": challenge],
      ["name": "title", "value": "Confirm"], ["name": "subtitle", "value": "Acme"],
      ["name": "description", "value": "Unlock your key"], ["name": "timeout", "value": timeout],
      ["name": "sign", "value": true],
    ],
    "input": ["jws", "clientError"].map { ["name": "IDToken1\($0)", "value": ""] },
  ])
  return callback
}

extension Callback {
  /// The synchronous form; in an asynchronous test the name alone means the other one.
  func initializeNow(with json: [String: Any]) -> any Callback { initialize(with: json) }
}
