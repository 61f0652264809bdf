import BindingFormats
import Concurrency
import DeviceKeys
import Foundation
import FRDeviceBinding
import JourneyStore
import LegacyFixtures
import SealringTesting
import Testing

/// A program that is written with the guide's text alone, against the real server over HTTP.
///
/// One at a time: the earlier SDK is one for the process.
@Suite(.serialized, .earlierNames) struct FRDeviceBindingTests {
  private static let password = "Correct horse battery 1"
  let device = ProgramsDevice()

  @Test func `a device binds signs and unbinds`() async throws {
    try await run { (server) async throws in
      #expect(try await play(on: server, "BindDevice") { GuideProgram.bindWithPin($0, next: $1) } != nil)
      let record = try #require(try await server.devices(of: "mira").first)
      #expect(record.deviceName == "My iOS Device")
      let key = try #require(FRUserKeys().loadAll().first)
      #expect(key.kid == record.uuid && key.userName == "mira" && key.authType == .applicationPin)

      #expect(
        try await play(
          on: server,
          "SignIn",
          sign: { callback, next in
            callback.sign(deviceAuthenticator: { _ in
              ApplicationPinDeviceAuthenticator(pinCollector: CustomPinCollector())
            }) { next($0.status) }
          }) != nil)

      #expect(GuideProgram.unbindAll())
      #expect(try await server.devices(of: "mira").isEmpty)
      #expect(FRUserKeys().loadAll().isEmpty)
      #expect(await device.keyStore.keys().isEmpty)
    }
  }

  @Test func `silent keys bind and sign with the defaults`() async throws {
    try await run { (server) async throws in
      #expect(try await play(on: server, "BindDeviceNoPin") { GuideProgram.bind($0, next: $1) } != nil)
      #expect(try await play(on: server, "SignIn", sign: { GuideProgram.sign($0, next: $1) }) != nil)
      #expect(
        try await play(on: server, "SignIn", sign: { GuideProgram.signMappingErrors($0, next: $1) }) != nil)
    }
  }

  @Test func `the prompt of the app replaces the server's texts`() async throws {
    try await run { (server) async throws in
      let bound = try await play(on: server, "BindDevice") { callback, next in
        GuideProgram.bindWithPrompt(callback) { next($0.status) }
      }
      #expect(bound != nil)
      let signed = try await play(
        on: server,
        "SignIn",
        sign: { callback, next in
          GuideProgram.signWithPrompt(callback) { next($0.status) }
        })
      #expect(signed != nil)
      let expected = "Custom Title/Custom Subtitle/Custom Description"
      #expect(device.prompts.withLock { $0 } == [expected, expected])
    }
  }

  @Test func `the guide's custom claims are signed`() async throws {
    try await run { (server) async throws in
      #expect(try await play(on: server, "BindDeviceNoPin") { GuideProgram.bind($0, next: $1) } != nil)
      let proofs = Locked<[String]>([])
      let signed = try await play(
        on: server, "SignIn",
        sign: { callback, next in
          GuideProgram.signWithClaims(callback) { status in
            let proof = input("jws", of: callback)
            proofs.withLock { $0.append(proof) }
            next(status)
          }
        })
      #expect(signed != nil)
      let claims = try JWSClaims(try #require(proofs.withLock { $0 }.first))
      #expect(claims["platform"] as? String == "iOS" && claims["isCompanyPhone"] as? Bool == true)
      #expect(claims["sub"] as? String == FRUserKeys().loadAll().first?.userId)
    }
  }

  @Test(arguments: ["sub", "exp", "iat", "nbf", "iss", "challenge"])
  func `a reserved claim is refused`(name: String) async throws {
    try await run { (server) async throws in
      #expect(try await play(on: server, "BindDeviceNoPin") { GuideProgram.bind($0, next: $1) } != nil)
      let errors = Locked<[String]>([])
      _ = try await play(
        on: server, "SignIn",
        sign: { callback, next in
          callback.sign(customClaims: [name: "x"]) { result in
            if case .failure(let error) = result, error == .invalidCustomClaims {
              errors.withLock { $0.append(error.errorMessage) }
            }
            next(result.status)
          }
        })
      #expect(errors.withLock { $0 } == ["Invalid Custom Claims"])
    }
  }

  @Test func `without a key the status is unregister and the app may name the outcome`() async throws {
    try await run { (server) async throws in
      let statuses = Locked<[DeviceBindingStatus?]>([])
      let errors = Locked<[String]>([])
      for maps in [false, true] {
        _ = try await play(
          on: server,
          "SignIn",
          sign: { callback, next in
            let done: @Sendable (DeviceBindingStatus?) -> Void = { status in
              statuses.withLock { $0.append(status) }
              let error = input("clientError", of: callback)
              errors.withLock { $0.append(error) }
              next(status)
            }
            if maps {
              GuideProgram.signMappingErrors(callback, next: done)
            } else {
              GuideProgram.sign(callback, next: done)
            }
          })
      }
      #expect(statuses.withLock { $0 } == [.unRegister, .clientNotRegistered])
      #expect(errors.withLock { $0 } == ["Unsupported", "CustomUnReg"])
    }
  }

  @Test func `a wrong PIN is unauthorize at once`() async throws {
    try await run { (server) async throws in
      #expect(try await play(on: server, "BindDevice") { GuideProgram.bindWithPin($0, next: $1) } != nil)
      let prompts = Locked<[String]>([])
      let statuses = Locked<[DeviceBindingStatus?]>([])
      _ = try await play(
        on: server,
        "SignIn",
        sign: { callback, next in
          callback.sign(deviceAuthenticator: { _ in
            ApplicationPinDeviceAuthenticator(pinCollector: Recorder(prompts, pin: "wrong"))
          }) { result in
            statuses.withLock { $0.append(result.status) }
            next(result.status)
          }
        })
      #expect(statuses.withLock { $0 } == [.unAuthorize])
      #expect(prompts.withLock { $0.count } == 1)
    }
  }

  @Test func `the selector gets the newest key first`() async throws {
    try await run { (server) async throws in
      try await server.addUser("babs", password: Self.password)
      for user in ["mira", "babs"] {
        #expect(
          try await play(on: server, "BindDeviceNoPin", as: user) { GuideProgram.bind($0, next: $1) } != nil)
      }
      #expect(FRUserKeys().loadAll().map(\.userName) == ["babs", "mira"])
      #expect(
        try await play(on: server, "SignIn", sign: { GuideProgram.signWithSelector($0, next: $1) }) != nil)
    }
  }

  @Test(arguments: [false, true])
  func `without the server a key is removed only by force and the error is thrown all the same`(force: Bool)
    async throws
  {
    try await run { (server) async throws in
      #expect(try await play(on: server, "BindDeviceNoPin") { GuideProgram.bind($0, next: $1) } != nil)
      let key = try #require(FRUserKeys().loadAll().first)
      // The server does not have it any more.
      _ = try await server.store.boundDevices.delete(
        key.kid, of: UniversalID(username: "mira", realm: "alpha"))
      #expect(throws: (any Error).self) { try FRUserKeys().delete(userKey: key, forceDelete: force) }
      #expect(FRUserKeys().loadAll().isEmpty == force)
      #expect(await device.keyStore.keys().isEmpty == force)
    }
  }

  @Test func `without a session nothing is unbound`() async throws {
    try await run { (server) async throws in
      #expect(try await play(on: server, "BindDeviceNoPin") { GuideProgram.bind($0, next: $1) } != nil)
      try device.start(on: server.address)
      #expect(FRSession.currentSession == nil)
      #expect(!GuideProgram.unbindAll())
      let devices = try await server.devices(of: "mira")
      #expect(devices.count == 1)
      #expect(FRUserKeys().loadAll().count == 1)
    }
  }

  @Test func `a session ends when it is logged out`() async throws {
    try await run { (server) async throws in
      _ = try await play(on: server, "BindDeviceNoPin", bind: { GuideProgram.bind($0, next: $1) })
      let session = try #require(FRSession.currentSession)
      #expect(session.sessionToken?.value.isEmpty == false)
      #expect(!"\(session.sessionToken.debugDescription)".contains(session.sessionToken?.value ?? "-"))
      session.logout()
      #expect(FRSession.currentSession == nil)
    }
  }

  @Test func `an app's authenticator can rule the device out`() async throws {
    try await run { (server) async throws in
      let statuses = Locked<[DeviceBindingStatus?]>([])
      _ = try await play(on: server, "BindDeviceNoPin") { callback, next in
        callback.bind(deviceAuthenticator: { _ in Unsupporting() }) { result in
          statuses.withLock { $0.append(result.status) }
          next(result.status)
        }
      }
      #expect(statuses.withLock { $0 } == [.unsupported(errorMessage: nil)])
    }
  }

  // MARK: The program around the snippets

  func run(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
    try await TestServer.run(clock: TestClock(start: Date())) { server in
      try await server.addUser("mira", password: Self.password)
      try await body(server)
    }
  }

  /// Plays a journey with the earlier SDK's calls, and returns the session, if it succeeds.
  func play(
    on server: TestServer, _ name: String, as user: String = "mira",
    bind:
      @escaping @Sendable (DeviceBindingCallback, @escaping @Sendable (DeviceBindingStatus?) -> Void) -> Void =
      { _, next in next(nil) },
    sign:
      @escaping @Sendable (DeviceSigningVerifierCallback, @escaping @Sendable (DeviceBindingStatus?) -> Void)
      -> Void = { _, next in next(nil) }
  ) async throws -> Token? {
    // Without a session: the server would go by an earlier one and ask nothing.
    try device.start(on: server.address)
    return await withCheckedContinuation { continuation in
      @Sendable func go(_ token: Token?, _ node: Node?, _ error: (any Error)?) {
        guard let node else { return continuation.resume(returning: token) }
        let proceed: @Sendable (DeviceBindingStatus?) -> Void = { _ in
          node.next { (token: Token?, node, error) in go(token, node, error) }
        }
        for callback in node.callbacks {
          switch callback {
          case let callback as NameCallback: callback.setValue(user)
          case let callback as PasswordCallback: callback.setValue(Self.password)
          case let callback as DeviceBindingCallback: return bind(callback, proceed)
          case let callback as DeviceSigningVerifierCallback: return sign(callback, proceed)
          default: break
          }
        }
        proceed(nil)
      }
      FRSession.authenticate(authIndexValue: name) { (token: Token?, node, error) in go(token, node, error) }
    }
  }
}

extension DeviceBindingResult {
  var status: DeviceBindingStatus? { if case .failure(let status) = self { status } else { nil } }
}

extension DeviceSigningResult {
  var status: DeviceBindingStatus? { if case .failure(let status) = self { status } else { nil } }
}

/// What the callback sends to the server in the input whose name ends with `name`.
private func input(_ name: String, of callback: Callback) -> String {
  let inputs = callback.response["input"] as? [[String: Any]] ?? []
  return inputs.first { ($0["name"] as? String)?.hasSuffix(name) == true }?["value"] as? String ?? ""
}

/// The claims of a proof, not verified: the server has done that.
struct JWSClaims {
  private let members: [String: Any]

  init(_ jws: String) throws {
    var payload = try #require(jws.split(separator: ".").dropFirst().first)
      .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
    let json = try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: payload)))
    members = try #require(json as? [String: Any])
  }

  subscript(name: String) -> Any? { members[name] }
}

/// Answers with one PIN and keeps what the person was told.
private final class Recorder: PinCollector, Sendable {
  private let prompts: Locked<[String]>
  private let pin: String

  init(_ prompts: Locked<[String]>, pin: String = "471108") {
    self.prompts = prompts
    self.pin = pin
  }

  func collectPin(prompt: Prompt, completion: @escaping (String?) -> Void) {
    prompts.withLock { $0.append("\(prompt.title)/\(prompt.subtitle)/\(prompt.description)") }
    completion(pin)
  }
}

private final class Unsupporting: None {
  override func isSupported() -> Bool { false }
}
