#if os(Linux)
  import BindingFormats
  import CommonFixtures
  import Concurrency
  import DeviceKeys
  import DeviceKeysTPM
  import Foundation
  import JourneyStore
  import PersonFixtures
  import PingBinding
  import PingStorage
  import SealringTesting
  import SoftwareTPM
  import Testing
  import UserVerification
  import UserVerificationFprintd

  /// The four ways to unlock a key, each with the real thing: fprintd with libfprint's virtual reader, PAM with a password
  /// file, a TPM (in software), and the server over HTTP.
  @Suite(.serialized, .timeLimit(.minutes(5))) struct AuthenticationTypesTests {
    enum Place: String, CaseIterable, Sendable {
      case software, tpm
    }

    /// Runs `body` with a server whose journey `Bind` asks for `type`, and a place for keys.
    private func run(
      _ type: String, in place: Place,
      _ body: @escaping @Sendable (TestServer, any DeviceKeyStore) async throws -> Void
    ) async throws {
      let folder = TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      let journeys = folder.file("journeys/alpha")
      try FileManager.default.createDirectory(at: journeys, withIntermediateDirectories: true)
      try Self.journey(type).write(
        to: journeys.appending(path: "Bind.journey.json"), atomically: true, encoding: .utf8)
      let keys = folder.file("keys")
      try await TestServer.run(journeys: folder.file("journeys")) { server in
        try await server.addUser("mira", password: "correct horse")
        switch place {
        case .software:
          try await body(
            server,
            SoftwareKeyStore(
              directory: keys, scrypt: ScryptCost(rounds: 1 << 10, blockSize: 8, parallelism: 1)))
        case .tpm:
          try await SoftwareTPM.run(certificates: false) { tpm in
            let store = try TPMKeyStore(directory: keys, tcti: tpm.tcti)
            try await body(server, store)
          }
        }
      }
    }

    /// The bundled journey that binds, with another authentication type.
    private static func journey(_ type: String) throws -> String {
      let bundled = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../journeys/BindDevice.journey.json").standardizedFileURL
      return try String(contentsOf: bundled, encoding: .utf8)
        .replacingOccurrences(of: "APPLICATION_PIN", with: type)
        .replacingOccurrences(of: "\"BindDevice\"", with: "\"Bind\"")
    }

    private func bind(_ device: TestDevice, on server: TestServer, _ person: ScriptedPerson) async
      -> TestOutcome
    {
      await device.play("Bind", on: server, as: "mira", password: "correct horse", person: person)
    }

    private func signIn(_ device: TestDevice, on server: TestServer, _ person: ScriptedPerson) async
      -> TestOutcome
    {
      await device.play("SignIn", on: server, person: person)
    }

    @Test(arguments: Place.allCases)
    func `none`(place: Place) async throws {
      try await run("NONE", in: place) { server, store in
        let device = TestDevice(keyStore: store)
        #expect(await bind(device, on: server, ScriptedPerson(pins: [])).isSuccess)
        #expect(await signIn(device, on: server, ScriptedPerson(pins: [])).token != nil)
        try await expectKeys(1, [.none], in: store)
      }
    }

    @Test(arguments: Place.allCases)
    func `application PIN`(place: Place) async throws {
      try await run("APPLICATION_PIN", in: place) { server, store in
        let device = TestDevice(keyStore: store)
        #expect(await bind(device, on: server, ScriptedPerson(pin: "471108")).isSuccess)
        let guess = await signIn(device, on: server, ScriptedPerson(pins: [.enters("930274"), .cancels]))
        #expect(guess.token == nil)
        #expect(await signIn(device, on: server, ScriptedPerson(pin: "471108")).token != nil)
        try await expectKeys(1, [.applicationPIN], in: store)
      }
    }

    @Test(arguments: Place.allCases)
    func `biometric only`(place: Place) async throws {
      try await run("BIOMETRIC_ONLY", in: place) { server, store in
        try await FingerprintService.run { service async throws in
          let reader = Finger(service)
          let device = TestDevice(keyStore: store, biometricVerifier: reader)
          #expect(await bind(device, on: server, ScriptedPerson(pins: [])).isSuccess)
          #expect(await signIn(device, on: server, ScriptedPerson(pins: [])).token != nil)
          #expect(reader.scans == 2, "one for the binding, one for the signature")

          reader.finger = "left-thumb"
          let stranger = await signIn(device, on: server, ScriptedPerson(pins: [], devicePassword: "right"))
          #expect(stranger.statuses == [.unAuthorize])

          try service.enrol("left-index-finger")
          reader.finger = "right-index-finger"
          let changed = await signIn(device, on: server, ScriptedPerson(pins: []))
          #expect(changed.statuses == [.clientNotRegistered])
          // Refused and kept: a set that is restored counts again, and the person decides otherwise.
          #expect(try await store.keys().count == 1)
          #expect(try await device.userKeys.get()?.count == 1)
        }
      }
    }

    @Test(arguments: Place.allCases)
    func `biometric with fallback`(place: Place) async throws {
      try await run("BIOMETRIC_ALLOW_FALLBACK", in: place) { server, store in
        try await PAMFixture.run { pam in
          try await FingerprintService.run(enrolled: []) { service async throws in
            let device = TestDevice(
              keyStore: store, biometricVerifier: Finger(service), deviceCredentialVerifier: pam.verifier())
            let (right, wrong) = (
              ScriptedPerson(pins: [], devicePassword: "right"),
              ScriptedPerson(pins: [], devicePassword: "wrong")
            )
            #expect(
              await bind(device, on: server, right).isSuccess,
              "nobody is enrolled, so the password is asked for")
            #expect(await signIn(device, on: server, wrong).statuses == [.unAuthorize])
            #expect(await signIn(device, on: server, right).token != nil)
          }
          // The account's key would be asked for, and the next device has none.
          for device in try await server.devices(of: "mira") {
            _ = try await server.store.boundDevices.delete(
              device.uuid, of: UniversalID(username: "mira", realm: "alpha"))
          }
          try await FingerprintService.run { service async throws in
            let reader = Finger(service)
            let device = TestDevice(
              keyStore: store, biometricVerifier: reader, deviceCredentialVerifier: pam.verifier())
            let person = ScriptedPerson(pins: [], devicePassword: "right")
            #expect(await bind(device, on: server, person).isSuccess)
            #expect(reader.scans == 1)
            reader.finger = "left-thumb"
            #expect(
              await signIn(device, on: server, person).token != nil,
              "three strange fingers, then the password")
            #expect(reader.scans == 4)
          }
        }
      }
    }

    @Test func `without reader or password both biometric types fail at once`() async throws {
      for type in ["BIOMETRIC_ONLY", "BIOMETRIC_ALLOW_FALLBACK"] {
        try await run(type, in: .software) { server, store in
          try await FingerprintService.run(isRunning: false) { service async throws in
            let device = TestDevice(keyStore: store, biometricVerifier: service.verifier)
            let outcome = await bind(device, on: server, ScriptedPerson(pins: []))
            #expect(outcome.statuses.map(\.clientError) == ["Unsupported"])
            #expect(try await store.keys().isEmpty)
            #expect(try await server.devices(of: "mira").isEmpty)
          }
        }
      }
    }

    private func expectKeys(
      _ count: Int, _ protections: Set<KeyProtection>, in store: any DeviceKeyStore
    ) async throws {
      let keys = try await store.keys()
      #expect(keys.count == count)
      #expect(Set(keys.map(\.protection)) == protections)
      #expect(Set(keys.map(\.kind)) == [store.kind])
    }
  }

  /// The real reader, and a person who shows a finger whenever it waits for one.
  private final class Finger: BiometricVerifier {
    private let service: FingerprintService
    private let state = Locked((finger: "right-index-finger", scans: 0))

    init(_ service: FingerprintService) { self.service = service }

    var finger: String {
      get { state.withLock { $0.finger } }
      set { state.withLock { $0.finger = newValue } }
    }

    var scans: Int { state.withLock { $0.scans } }

    func availability() async throws -> BiometricAvailability { try await service.verifier.availability() }

    func enrolment() async throws -> EnrolmentFingerprint { try await service.verifier.enrolment() }

    func verify(
      reason: String, progress: @escaping @Sendable (BiometricProgress) -> Void
    ) async throws -> BiometricVerification {
      state.withLock { $0.scans += 1 }
      return try await service.verifier.verify(reason: reason) { [service, finger] step in
        progress(step)
        do { try service.show(finger) } catch { Issue.record(error) }
      }
    }
  }
#endif
