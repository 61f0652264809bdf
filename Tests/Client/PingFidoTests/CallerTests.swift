import Foundation
import PingFido
import PingJourney
import PingOrchestrate
import Testing
import WebAuthnAuthenticator
import WebAuthnFormats

/// Who may ask for which relying party's keys.
@Suite struct CallerTests {
  private struct ClientDataOrigin: Decodable { let origin: String }

  private func origin(of members: [String: Any]) throws -> String {
    let data = try #require(members["clientDataJSON"] as? Data)
    return try JSONDecoder().decode(ClientDataOrigin.self, from: data).origin
  }

  /// A device with a key of `bank.example`, registered at the bank.
  private func customer() async throws -> PasskeyDevice {
    let device = PasskeyDevice(origin: nil)
    let step = try await Step(
      Data71.registration(["_relyingPartyId": "bank.example"]), server: "https://login.bank.example/am")
    _ = try await step.registration(device).register(window: PresentationAnchor()).get()
    return device
  }

  @Test func `any server got a valid assertion for bank.example by naming it`() async throws {
    let device = try await customer()
    let key = try #require(try await device.keys.first)
    for list in [[], Data71.descriptors([key.id])] {
      let step = try await Step(
        Data71.authentication(["_relyingPartyId": "bank.example", "_allowCredentials": list]),
        server: "https://evil.example/am")
      let result = try await step.authentication(device).authenticate(window: PresentationAnchor())
      guard case .failure(WebAuthnError.notAllowed(let cause, _)) = result else { throw Step.WrongCallback() }
      #expect(cause is RelyingPartyError)
      #expect(step.hidden.value == "ERROR::SecurityError:The operation is insecure.")
    }
    #expect(try await device.keys == [key])
  }

  @Test func `any server replaced the key of bank.example by registering one for the same account`()
    async throws
  {
    let device = try await customer()
    let key = try #require(try await device.keys.first)
    let step = try await Step(
      Data71.registration(["_relyingPartyId": "bank.example"]), server: "https://evil.example/am")
    let callback = try step.registration(device)
    let result = await callback.register(window: PresentationAnchor())
    #expect(throws: WebAuthnError.self) { try result.get() }
    await callback.answered(with: SuccessNode(session: EmptySession()))
    #expect(step.hidden.value == "ERROR::SecurityError:The operation is insecure.")
    #expect(try await device.keys == [key])
  }

  @Test(
    arguments: [
      ("https://am.example.com/am", "am.example.com", "https://am.example.com"),
      ("https://am.example.com:8443/am", "example.com", "https://am.example.com:8443"),
      ("https://am.example.com/am", "", "https://am.example.com"),
      ("http://localhost:8080/am", "localhost", "http://localhost:8080"),
      ("http://127.0.0.1:8080/am", "localhost", "http://localhost:8080"),
      ("http://[::1]:8080/am", "", "http://localhost:8080"),
      ("https://am.example.com/am", "com", nil), ("https://am.example.com/am", "bank.example", nil),
      ("https://am.example.com/am", "x.am.example.com", nil),
      ("https://am.example.com/am", "EXAMPLE.com", nil),
      ("https://me.github.io/am", "github.io", nil), ("https://am.example.co.uk/am", "co.uk", nil),
      ("http://127.0.0.1:8080/am", "127.0.0.1", nil), ("https://192.0.2.1/am", "192.0.2.1", nil),
      ("https://192.0.2.1/am", "", nil), ("http://am.example.com/am", "example.com", nil),
      ("https://am.example.com.evil.example/am", "example.com", nil),
    ] as [(String, String, String?)])
  func `the origin is the server's, and the relying party's id is its host or a registrable suffix of that`(
    server: String, id: String, expected: String?
  ) async throws {
    let device = PasskeyDevice(origin: nil)
    let step = try await Step(Data71.registration(["_relyingPartyId": id]), server: server)
    let result = try await step.registration(device).register(window: PresentationAnchor())
    if let expected {
      #expect(try origin(of: result.get()) == expected)
      let key = try #require(try await device.keys.first)
      #expect(key.relyingPartyID == (id.isEmpty ? URL(string: expected)?.host() : id))
      #expect(key.scope == CredentialScope(server: expected, realm: "/alpha"))
    } else {
      guard case .failure(WebAuthnError.notAllowed(let cause, _)) = result else { throw Step.WrongCallback() }
      #expect(cause is RelyingPartyError)
      #expect(try await device.keys.isEmpty)
    }
  }

  @Test
  func `an app's own origin takes the place of the server's, and its list lets further relying parties in`()
    async throws
  {
    let device = PasskeyDevice(origin: "https://login.bank.example")
    func register(_ id: String, _ change: (inout FidoConfig) -> Void = { _ in }) async throws -> Result<
      [String: Any], any Error
    > {
      let step = try await Step(Data71.registration(["_relyingPartyId": id]))
      let callback = try step.registration(device)
      change(&callback.config)
      return await callback.register(window: PresentationAnchor())
    }
    #expect(try await origin(of: register("bank.example").get()) == "https://login.bank.example")
    let other = try await register("example.com")
    #expect(throws: WebAuthnError.self) { try other.get() }
    let listed = try await register("example.org") { $0.relyingPartyIDs = ["example.org"] }
    #expect(try origin(of: listed.get()) == "https://login.bank.example")
    // An origin that is none, and one without a host, fit no id but a listed one.
    let path = try await register("bank.example") { $0.origin = "https://login.bank.example/" }
    #expect(throws: WebAuthnError.self) { try path.get() }
    let native = try await register("example.org") {
      $0.origin = "android:apk-key-hash:x"
      $0.relyingPartyIDs = ["example.org"]
    }
    #expect(try origin(of: native.get()) == "android:apk-key-hash:x")
  }

  @Test func `without a journey and an origin nobody is known to ask, and nothing is done`() async throws {
    let device = PasskeyDevice(origin: nil)
    let result = await Fido(config: device.config).authenticate(
      options: ["challenge": "AAECAwQFBgcICQoLDA0ODw", "rpId": "example.com"], window: PresentationAnchor())
    guard case .failure(WebAuthnError.notAllowed(let cause, _)) = result else { throw Step.WrongCallback() }
    #expect(cause is RelyingPartyError)
  }

  @Test
  func `a key from before is the server's that accepts its use; a step that asks again has not accepted it`()
    async throws
  {
    let device = PasskeyDevice(origin: nil)
    let authenticator = try device.config.authenticator()
    for _ in 1...2 {
      _ = try await authenticator.makeCredential(
        MakeCredentialRequest(
          clientDataHash: Array(repeating: 0, count: 32), relyingPartyID: "example.com",
          relyingPartyName: "Example", userHandle: Array("ZGVtbw".utf8), userName: "demo",
          userDisplayName: "Demo", algorithms: [-7], requiresResidentKey: true, verifiesUser: false),
        consent: Agreement())
    }
    let newer = try #require(try await device.keys.last)
    func use(at server: String, _ answer: (ContinueNode) -> any Node) async throws -> Bool {
      let step = try await Step(
        Data71.authentication(["_allowCredentials": Data71.descriptors([newer.id])]), server: server)
      let callback = try step.authentication(device)
      let result = await callback.authenticate(window: PresentationAnchor())
      await callback.answered(with: answer(step.node))
      return (try? result.get()) != nil
    }
    let (own, other) = ("https://am.example.com/am", "https://other.example.com/am")
    #expect(try await use(at: other) { $0 })
    #expect(try await use(at: other) { ErrorNode(status: 401, context: $0.context) })
    #expect(try await device.keys.map(\.scope) == [nil, nil])
    #expect(try await use(at: own) { _ in SuccessNode(session: EmptySession()) })
    #expect(
      try await device.keys.map(\.scope) == [
        nil, CredentialScope(server: "https://am.example.com", realm: "/alpha"),
      ])
    #expect(try await !use(at: other) { $0 })
    #expect(try await use(at: own) { _ in SuccessNode(session: EmptySession()) })
  }
}
