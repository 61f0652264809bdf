#if os(Linux)
  import CBOR
  import CommonFixtures
  import CTAP
  import Crypto
  import DeviceKeys
  import Foundation
  import SecurityKeyFixtures
  import Testing
  import WebAuthnAuthenticator
  import WebAuthnFormats

  @testable import SecurityKeys

  /// A security key that lies, breaks off or never answers. Nothing of it reaches a server.
  struct LyingKeyTests {
    /// What of an assertion is changed.
    enum Lie: String, CaseIterable, Sendable {
      case anotherParty, noPresence, noVerification, anotherCredential, noData, hugeSignature, noSignature,
        trailing,
        longUserHandle
    }

    private static func change(_ honest: [UInt8], _ lie: Lie) -> [UInt8] {
      guard honest.first == 0, var map = try? CBORValue(decoding: honest.dropFirst()).mapValue,
        var data = map[2]?.bytesValue
      else { return honest }
      switch lie {
      case .anotherParty:
        data.replaceSubrange(..<32, with: Array(SHA256.hash(data: Array("evil.example".utf8))))
      case .noPresence: data[32] &= ~1
      case .noVerification: data[32] &= ~4
      case .anotherCredential: map[1] = ["id": .bytes([9, 9, 9]), "type": "public-key"]
      case .noData: data = [1, 2, 3]
      case .hugeSignature: map[3] = .bytes([UInt8](repeating: 0x30, count: 4000))
      case .noSignature: map[3] = .bytes([])
      case .trailing: data += [0xA0]
      case .longUserHandle: map[4] = ["id": .bytes([UInt8](repeating: 1, count: 2000))]
      }
      map[2] = .bytes(data)
      return [0] + CBORValue.map(map).encoded
    }

    @Test(arguments: Lie.allCases)
    func `an assertion that is not what was asked for is not believed`(lie: Lie) async throws {
      let scene = try await KeyScene(pin: KeyScene.pin) { request, honest in
        request.first == 0x02 ? Self.change(honest, lie) : honest
      }
      let made = try await scene.register(verifying: .required)
      let error = await #expect(throws: SecurityKeyError.self) {
        try await scene.signIn([made.id], verifying: .required)
      }
      guard case .misbehaved? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    /// What of a new credential is changed.
    enum CredentialLie: String, CaseIterable, Sendable {
      case anotherParty, noPresence, noVerification, noCredential, excludedID, longID
    }

    @Test(arguments: CredentialLie.allCases)
    func `a credential that is not what was asked for is not believed`(lie: CredentialLie) async throws {
      let excluded: [UInt8] = [UInt8](repeating: 7, count: 16)
      let scene = try await KeyScene(pin: KeyScene.pin) { request, honest in
        guard request.first == 0x01, honest.first == 0,
          var map = try? CBORValue(decoding: honest.dropFirst()).mapValue,
          var data = map[2]?.bytesValue
        else { return honest }
        switch lie {
        case .anotherParty:
          data.replaceSubrange(..<32, with: Array(SHA256.hash(data: Array("evil.example".utf8))))
        case .noPresence: data[32] &= ~1
        case .noVerification: data[32] &= ~4
        case .noCredential:
          data[32] &= ~0x40
          data = Array(data[..<37])
        case .excludedID: data.replaceSubrange(55..<71, with: excluded)
        case .longID: data.replaceSubrange(53..<55, with: [0xFF, 0xFF])
        }
        map[2] = .bytes(data)
        return [0] + CBORValue.map(map).encoded
      }
      let error = await #expect(throws: SecurityKeyError.self) {
        try await scene.register(excluded: [excluded], verifying: .required)
      }
      guard case .misbehaved? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test(
      arguments: [
        [], [0], [0x99], [0, 0xBF], [0, 0x5B] + [UInt8](repeating: 0xFF, count: 8),
        [UInt8](repeating: 0, count: 7000),
      ] as [[UInt8]])
    func `what cannot be read is not believed`(reply: [UInt8]) async throws {
      let scene = try await KeyScene { request, honest in request.first == 0x02 ? reply : honest }
      let error = await #expect(throws: SecurityKeyError.self) { try await scene.signIn([[1]]) }
      guard case .misbehaved? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test
    func `a key that knows U2F only is refused, and so is one that breaks off when it is asked what it is`()
      async throws
    {
      let older = try await KeyScene(isFIDO2: false)
      let error = await #expect(throws: SecurityKeyError.self) { try await older.register() }
      #expect(error?.localizedDescription.contains("U2F") == true)
      // It would be spoken to by the older protocol, which has no PIN.
      let broken = try await KeyScene { request, honest in request.first == 0x04 ? [0x01] : honest }
      let other = await #expect(throws: SecurityKeyError.self) { try await broken.register() }
      guard case .misbehaved? = other else { return #expect(Bool(false), "\(String(describing: other))") }
      #expect(older.owner.seen.touches.isEmpty && broken.owner.seen.touches.isEmpty)
    }

    @Test func `a key that never answers ends with the task`() async throws {
      let scene = try await KeyScene { request, honest in request.first == 0x04 ? honest : nil }
      let work = Task { try await scene.register() }
      try await eventually("the touch is shown") { !scene.owner.seen.touches.isEmpty }
      work.cancel()
      await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test func `a key that does not even say what it is ends with the task`() async throws {
      let scene = try await KeyScene { _, _ in nil }
      let work = Task { try await scene.register() }
      try await eventually("the key is asked") { scene.key.commands == [0x04] }
      work.cancel()
      await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test func `a key that is pulled out during the question says so`() async throws {
      let scene = try await KeyScene(vanishingAt: 0x01)
      await #expect(throws: SecurityKeyError.removed) { try await scene.register() }
    }

    @Test(
      arguments: [
        (0x2F, SecurityKeyError.untouched), (0x3A, .untouched), (0x32, .pinBlocked), (0x34, .pinPaused),
        (0x28, .full), (0x2D, .declined),
      ] as [(UInt8, SecurityKeyError)])
    func `each status has its words`(status: UInt8, error: SecurityKeyError) async throws {
      let scene = try await KeyScene { request, honest in request.first == 0x01 ? [status] : honest }
      await #expect(throws: error) { try await scene.register() }
    }
  }
#endif
