import Concurrency
import DeviceKeyFixtures
import DeviceKeys
import Foundation
import PingBinding
import PingJourneyPlugin
import ProofFixtures
import StrictJSON
import Testing

/// Authenticators that an app wrote for the published API: `sign` is synchronous there.
@Suite struct OwnAuthenticatorTests {
  let device = BindingDevice()

  @Test func `a synchronous override of sign was an error`() async throws {
    let seen = Locked<[String]>([])
    let bound = try await device.bind { $0.deviceAuthenticator = Noting(seen) }.token()
    #expect(bound.claims["challenge"]?.stringValue == challenge)
    let signed = try await device.sign(signingCallback()) {
      $0.claims = ["amount": "100.00"]
      $0.deviceAuthenticator = Noting(seen)
    }.token()
    #expect(signed.claims["amount"] == "100.00")
    let kid = try #require(try await device.keys.first?.kid)
    #expect(seen.withLock { $0 } == ["bound \(kid)", "signed \(kid)"])
  }

  @Test func `a call of sign without await was an error`() async throws {
    let key = try await device.keyStore.createKey(tag: "own", protection: .none, unlock: .nothing)
    let params = parameters(KeyPair(key))
    let compact = try NoneAuthenticator().sign(params: params, journey: nil)
    let token = try VerifiedToken(compact, key: key.publicKey)
    #expect(token.keyID == "kid")
  }

  /// More calls at once than there are threads for tasks, with keys that need those threads.
  @Test func `synchronous signatures by asynchronous keys do not wait for each other`() async throws {
    let key = ActorsKey(
      key: try await device.keyStore.createKey(tag: "own", protection: .none, unlock: .nothing))
    let params = parameters(KeyPair(key))
    let count = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 {
        group.addTask { (try? NoneAuthenticator().sign(params: params, journey: nil)) != nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(count == 64)
  }

  @Test func `what an app's sign throws is the status`() async throws {
    let outcome = await device.bind { $0.deviceAuthenticator = Refusing() }
    #expect(outcome.status == .unAuthorize)
    try await device.expectNothingLeftOver(count: 0)
  }

  private func parameters(_ pair: KeyPair) -> SigningParameters {
    SigningParameters(
      keyPair: pair, kid: "kid", userId: mira, challenge: challenge, issueTime: device.start,
      notBeforeTime: device.start, expiration: device.start + 60, applicationId: "com.acme.wallet")
  }
}

/// Keys in the operation's store, without a PIN.
private class Silent: DefaultDeviceAuthenticator {
  override func isSupported(attestation: Attestation) -> Bool { true }
  override func register() async throws -> KeyPair {
    KeyPair(
      try await keyStore().createKey(tag: UUID().uuidString, protection: .none, unlock: .nothing))
  }
  override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    do {
      return .success(try await keyStore().openKey(tag: keyTag, unlock: .nothing))
    } catch {
      return .failure(error)
    }
  }
}

/// Notes what is signed, as an app's overrides do.
private final class Noting: Silent {
  private let seen: Locked<[String]>

  init(_ seen: Locked<[String]>) { self.seen = seen }

  override func sign(params: SigningParameters, journey: Journey?) throws -> String {
    seen.withLock { $0.append("bound \(params.kid)") }
    return try super.sign(params: params, journey: journey)
  }

  override func sign(params: UserKeySigningParameters, journey: Journey?) throws -> String {
    let kid = params.userKey.kid
    seen.withLock { $0.append("signed \(kid)") }
    return try super.sign(params: params, journey: journey)
  }
}

private final class Refusing: Silent {
  override func sign(params: SigningParameters, journey: Journey?) throws -> String {
    throw DeviceBindingError.authenticationFailed
  }
}

/// Signs through an actor, as a key in a chip does.
private actor ActorsKey: DeviceKeyDouble {
  nonisolated let key: any DeviceKey

  init(key: any DeviceKey) { self.key = key }

  func signature(for signingInput: [UInt8]) async throws -> [UInt8] {
    await Task.yield()
    return try await originalSignature(for: signingInput)
  }
}
