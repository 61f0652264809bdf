import DeviceKeys
import PingBinding
import PingOrchestrate
import ProofFixtures
import StrictJSON
import Testing

/// The bound key as the one that tokens are bound to.
@Suite struct BoundProofKeyTests {
  let device = BindingDevice()
  let bank = ScopeTests.Place("https://bank.example/am")

  /// The thumbprint of the key that it makes.
  private func bind(_ type: String, user: String = mira, _ pin: ScriptedPIN? = nil) async throws -> String {
    let callback = bindingCallback(type: type, user: user)
    callback.journey = bank.workflow
    let outcome = await device.bind(callback) { $0.pinCollector = pin }
    return try Thumbprint.of(try #require(try outcome.token().header["jwk"]?.objectValue))
  }

  private func source(
    _ place: ScopeTests.Place? = nil, user: String? = nil, _ pin: ScriptedPIN = ScriptedPIN()
  ) -> BoundProofKey {
    let device = device
    return BoundProofKey(journey: (place ?? bank).workflow, userID: user) {
      device.configure($0)
      $0.pinCollector = pin
    }
  }

  @Test func `a key that needs no question signs without one, each time`() async throws {
    let bound = try await bind("NONE")
    let pin = ScriptedPIN()
    let source = source(nil, pin)
    for _ in 1...2 { #expect(try await Thumbprint.of(source.proofKey().publicKey) == bound) }
    #expect(pin.prompts.isEmpty)
  }

  @Test func `a key with a PIN asks each time, and a wrong PIN counts`() async throws {
    let bound = try await bind("APPLICATION_PIN", ScriptedPIN("839201", "839201"))
    let pin = ScriptedPIN("839201", nil)
    let source = source(nil, pin)
    #expect(try await Thumbprint.of(source.proofKey().publicKey) == bound)
    #expect(pin.prompts.first?.isNewPIN == false && pin.prompts.first?.server == "https://bank.example/am")
    await #expect(throws: (any Error).self) { try await source.proofKey() }
    #expect(pin.prompts.count == 2)
  }

  @Test func `of several keys one without a question is taken, of the user that is named`() async throws {
    let open = try await bind("NONE", user: "otto")
    let locked = try await bind("APPLICATION_PIN", ScriptedPIN("839201", "839201"))
    #expect(try await Thumbprint.of(source().proofKey().publicKey) == open)
    let pin = ScriptedPIN("839201")
    #expect(try await Thumbprint.of(source(nil, user: mira, pin).proofKey().publicKey) == locked)
  }

  @Test func `the key of one server proves nothing to another`() async throws {
    _ = try await bind("NONE")
    let source = source(ScopeTests.Place("https://other.example/am"))
    await #expect(throws: DeviceBindingError.self) { try await source.proofKey() }
  }
}
