#if os(Linux)
  import CommonFixtures
  import Concurrency
  import CTAP
  import DeviceKeys
  import DeviceKeysTPM
  import Foundation
  import PersonFixtures
  import PersonPrompts
  import RuntimeLibraries
  import SoftwareTPM
  import Testing

  @testable import CTAPAuthenticator

  /// python-fido2, which `scripts/verifiers` installs, and libfido2 as the clients, behind a socket that speaks uhid's events.
  struct ClientsTests {
    private func play(
      _ scenarios: [String], of program: String = "ctap_clients.py", with scene: SecurityKeyScene
    ) async throws {
      let repository = URL(filePath: #filePath).appending(path: "../../../..").standardized
      let python = repository.appending(path: ".build/verifiers/bin/python").path
      try #require(FileManager.default.isExecutableFile(atPath: python), "Run scripts/verifiers.")
      var ends: [Int32] = [-1, -1]
      try #require(
        socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
      let output = scene.folder.file("output")
      let client = try SpawnedProgram(
        python, [repository.appending(path: "Tests/Interoperability/\(program)").path] + scenarios,
        environment: SpawnedProgram.environment([:]), input: .descriptor(ends[1]), output: .file(output),
        errors: .output)
      close(ends[1])
      let device = VirtualSecurityKey(descriptor: ends[0], scene.key)
      let serving = Task { try await device.run() }
      let code = await client.end()
      let text = try String(contentsOf: output, encoding: .utf8)
      #expect(code == 0 && text.contains("as it should be"), "\(text)")
      // The client is gone, and with it the device.
      try await serving.value
    }

    @Test(arguments: [
      "basics", "accounts", "pin", "management", "secret", "protection", "channels", "relying_party",
    ])
    func `python-fido2 gets what CTAP says`(scenario: String) async throws {
      try await play([scenario], with: try SecurityKeyScene())
    }

    @Test func `a new passkey that was agreed to with the PIN is no sign-in, and deletes no other one`()
      async throws
    {
      let scene = try SecurityKeyScene()
      try await play(["verification"], with: scene)
      #expect(
        scene.person.wasAsked([
          .setPIN, .register, .register, .signIn, .signIn, .register, .register, .register,
        ]))
      #expect(
        scene.person.questions.map(\.needsPIN) == [false, true, true, false, true, true, true, false])
      #expect(scene.person.questions.map { $0["Replaces"] != nil }.firstIndex(of: true) == 7)
    }

    @Test(.timeLimit(.minutes(1)))
    func `python-fido2 has the person verified by fprintd's finger, without a PIN`() async throws {
      try await FingerprintService.run { service in
        let finger = "right-index-finger"
        let reader = FingerTests.ShownFingers(service: service, fingers: Locked([finger, finger]))
        let owner = FingerTests.Owner()
        try await play(["fingers"], with: try SecurityKeyScene(prompt: owner, reader: reader))
        #expect(owner.questions.map(\.finger) == [.accepted, .accepted, .none])
        #expect(owner.questions.allSatisfy { !$0.needsPIN })
      }
    }

    @Test func `libfido2, which OpenSSH uses, gets what CTAP says`() async throws {
      try await play([], of: "ctap_libfido2.py", with: try SecurityKeyScene())
    }

    @Test func `with the keys and the PIN in a TPM the same holds`() async throws {
      try await SoftwareTPM.run(certificates: false) { tpm in
        let store = try TPMKeyStore(directory: tpm.state.appending(path: "keys"), tcti: tpm.tcti)
        let scene = try SecurityKeyScene(store: store)
        try await play(["relying_party", "channels"], with: scene)
        #expect(try await store.keys().map(\.tag).contains(ClientPINKey.tag))
        #expect(try await store.keys().count == 2)
      }
    }

    @Test(arguments: ["ctap_clients.py", "ctap_libfido2.py"])
    func `with a TPM the secrets of hmac-secret are the chip's, and no file has them`(program: String)
      async throws
    {
      try await SoftwareTPM.run(certificates: false) { tpm in
        let store = try TPMKeyStore(directory: tpm.state.appending(path: "keys"), tcti: tpm.tcti)
        let scene = try SecurityKeyScene(store: store)
        try await play(program == "ctap_clients.py" ? ["secret"] : [], of: program, with: scene)
        // These records are not encrypted.
        let records = try FileManager.default.contentsOfDirectory(
          at: scene.folder.url.appending(path: "passkeys"), includingPropertiesForKeys: nil
        ).compactMap { try? String(contentsOf: $0, encoding: .utf8) }
        #expect(records.contains { $0.contains("verifiedKey") }, "\(records)")
        #expect(!records.contains { $0.contains("\"secrets\"") })
      }
    }
  }
#endif
