#if os(Linux)
  import Bytes
  import CommonFixtures
  import DeviceKeys
  import Foundation
  import PingFido
  import PingJourney
  import PingJourneyPlugin
  import SecurityKeyFixtures
  import SecurityKeys
  import Testing
  import WebAuthnFormats

  /// Ceremonies with a security key in place of this device's own authenticator.
  @Suite struct SecurityKeyTests {
    struct Toucher: SecurityKeyPerson {
      func showTouch(for use: SecurityKeyUse) {}
      func pin(for question: SecurityKeyPINQuestion) async -> PIN? { nil }
      func choose(among accounts: [SecurityKeyAccount], for use: SecurityKeyUse) async -> Int? { 0 }
    }

    private func withKey(
      pin: PIN? = PIN("739184"), answer: @escaping PlayedSecurityKey.Answer = { $1 },
      _ body: (PasskeyDevice, FidoConfig, PlayedSecurityKey) async throws -> Void
    ) async throws {
      let device = PasskeyDevice(consent: nil)
      let folder = try TemporaryFolder.make()
      let key = try await PlayedSecurityKey(.played(pin: pin, in: folder.url), in: folder.url, answer: answer)
      var config = device.config
      config.securityKey = SecurityKeyAuthenticator(person: Toucher(), path: key.path)
      try await body(device, config, key)
    }

    @Test
    func
      `a security key answers both callbacks, says that it is not part of the device, and leaves nothing here`()
      async throws
    {
      try await withKey { device, config, _ in
        let registration = try await Step(Data71.registration())
        let register = try #require(
          registration.node.callbacks.compactMap { $0 as? FidoRegistrationCallback }.first)
        register.config = config
        let made = try await register.register(deviceName: "Key", window: PresentationAnchor()).get()
        #expect(made["authenticatorAttachment"] as? String == "cross-platform")
        let outcome = try ClientOutcome<RegistrationResponse>(parsing: registration.hidden.value)
        guard case .completed(let response, attachment: .crossPlatform) = outcome else {
          return #expect(Bool(false), "\(registration.hidden.value)")
        }
        #expect(response.deviceName == "Key")
        let data = try AuthenticatorData(
          parsing: AttestationObject(parsing: response.attestationObject).authenticatorData)
        #expect(data.flags.contains([.userPresent, .userVerified]))
        #expect(try ClientData(parsing: response.clientDataJSON).origin == "https://app.example.com")

        let authentication = try await Step(Data71.authentication())
        let sign = try #require(
          authentication.node.callbacks.compactMap { $0 as? FidoAuthenticationCallback }.first)
        sign.config = config
        let signed = try await sign.authenticate(window: PresentationAnchor()).get()
        #expect(signed["rawId"] as? Data == made["rawId"] as? Data)
        #expect(signed["authenticatorAttachment"] as? String == "cross-platform")
        #expect(
          signed["userHandle"] as? Data == Data("ZGVtbw".utf8)
        )
        #expect(try await device.keys.isEmpty)
        #expect(await device.keyStore.keys().isEmpty)
      }
    }

    @Test func `a server that may not ask for the relying party does not reach the key`() async throws {
      try await withKey { _, config, key in
        let step = try await Step(
          Data71.authentication(["_relyingPartyId": "bank.example", "relyingPartyId": ""]))
        let callback = try #require(
          step.node.callbacks.compactMap { $0 as? FidoAuthenticationCallback }.first)
        callback.config = config
        _ = await callback.authenticate(window: PresentationAnchor())
        #expect(step.hidden.value.contains("SecurityError"))
        #expect(key.commands.isEmpty)
      }
    }

    @Test func `a key that never answers ends with the time limit, and by the task that is cancelled`()
      async throws
    {
      for isCancelled in [false, true] {
        // It says what it is, and nothing more.
        try await withKey(answer: { request, honest in request.first == 0x04 ? honest : nil }) {
          _, config, key in
          var config = config
          let clock = ManualClock()
          config.clock = clock
          let step = try await Step(Data71.authentication())
          let callback = try #require(
            step.node.callbacks.compactMap { $0 as? FidoAuthenticationCallback }.first)
          callback.config = config
          let task = Task {
            try? await callback.authenticate(window: PresentationAnchor()).get()["rawId"] as? Data
          }
          try await eventually("the key is asked") { key.commands.count > 1 }
          if isCancelled { task.cancel() } else { clock.advance(by: .seconds(60)) }
          #expect(await task.value == nil)
          #expect(step.hidden.value.hasPrefix(isCancelled ? "ERROR::NotAllowedError" : "ERROR::TimeoutError"))
        }
      }
    }

    @Test func `a server that wants a part of the device does not get a security key`() async throws {
      try await withKey { _, config, key in
        let wanted = ["authenticatorAttachment": "platform"]
        let step = try await Step(
          Data71.registration(["_authenticatorSelection": wanted, "authenticatorSelection": nil]))
        let callback = try #require(step.node.callbacks.compactMap { $0 as? FidoRegistrationCallback }.first)
        callback.config = config
        _ = await callback.register(window: PresentationAnchor())
        #expect(step.hidden.value.contains("unsupported"))
        #expect(key.commands.isEmpty)
      }
    }

    @Test func `one that wants another authenticator gets a security key`() async throws {
      try await withKey { _, config, _ in
        let wanted = ["authenticatorAttachment": "cross-platform"]
        let step = try await Step(
          Data71.registration(["_authenticatorSelection": wanted, "authenticatorSelection": nil]))
        let callback = try #require(step.node.callbacks.compactMap { $0 as? FidoRegistrationCallback }.first)
        callback.config = config
        _ = try await callback.register(window: PresentationAnchor()).get()
      }
    }

    @Test(
      arguments: [
        (.noKey, "NotAllowedError"), (.severalKeys([]), "NotAllowedError"),
        (.notPermitted(path: "/dev/hidraw7"), "NotAllowedError"),
        (.unusable("libfido2 at /secret"), "unsupported"), (.pinNotSet, "ConstraintError"),
        (.wrongPIN(left: 2), "NotAllowedError"),
        (.pinPaused, "NotAllowedError"), (.pinBlocked, "NotAllowedError"), (.noPIN, "NotAllowedError"),
        (.removed, "NotAllowedError"),
        (.untouched, "TimeoutError"), (.registered, "InvalidStateError"), (.declined, "NotAllowedError"),
        (.noCredential(relyingPartyID: "x"), "NotAllowedError"),
        (.full, "unsupported"), (.misbehaved("libfido2 at /secret"), "UnknownError"),
      ] as [(SecurityKeyError, String)])
    func `the server learns the outcome and no more, the app what to do`(
      error: SecurityKeyError, name: String
    ) {
      let mapped = WebAuthnError(error)
      let outcome = mapped.convertToWebAuthnOutcome()
      #expect(outcome.contains(name))
      for detail in ["/dev", "/secret", "libfido2", "PIN"] {
        #expect(!outcome.contains(detail), "\(outcome)")
      }
      #expect(mapped.platformError() as? SecurityKeyError == error)
      #expect(
        mapped.localizedDescription == error.localizedDescription && !error.localizedDescription.isEmpty)
    }
  }
#endif
