#if os(Linux) && DEBUG
  import Agent
  import Bytes
  import CommonFixtures
  import Concurrency
  import Crypto
  import DeviceKeys
  import DeviceKeysTPM
  import Foundation
  import JOSE
  import PersonPrompts
  import RuntimeLibraries
  import SoftwareTPM
  import Testing
  import UserVerification

  @testable import PAMAgent

  /// `pam_sealring.so` as a program loads it: whom it lets in, and whom never.
  struct PAMModuleTests {
    @Test func `the right PIN is recognised, a wrong one is asked for again, and no answer is a no`()
      async throws
    {
      let scene = try PAMScene()
      try await scene.enrol()
      try await scene.withAgent { notes in
        let person = PAMPerson(PAMScene.pin)
        #expect(await scene.refusal(person) == nil)
        #expect(
          person.texts.count == 1 && person.texts[0].hasPrefix("Sealring: service on ,"), "\(person.texts)")
        // Not at a terminal: in the prompt, too.
        #expect(person.questions == person.texts.map { "\($0)\nPIN: " }, "\(person.questions)")
        let second = PAMPerson("111111", PAMScene.pin)
        #expect(await scene.refusal(second) == nil)
        #expect(second.questions.last?.contains("The PIN is wrong") == true, "\(second.questions)")
        // The conversation is closed.
        #expect(await scene.refusal(PAMPerson()) != nil)
        #expect(await scene.refusal(PAMPerson("")) == .notRecognised)
        #expect(await scene.refusal(PAMPerson("1", "2", "3", PAMScene.pin)) == .notRecognised)
        #expect(await scene.refusal(PAMPerson(String(repeating: "1", count: 511))) != nil)
        try await eventually("both are noted") {
          notes.withLock { $0.count { $0.hasPrefix("Signed. service for root") } } == 2
        }
        #expect(!notes.withLock { $0.joined() }.contains(PAMScene.pin))
      }
    }

    @Test func `a PIN of any characters comes to the key as it was typed`() async throws {
      let scene = try PAMScene()
      let pin = "9 %41\t€ü\\"
      try await scene.enrol(pin: pin)
      try await scene.withAgent { _ in
        #expect(await scene.refusal(PAMPerson(pin)) == nil)
      }
    }

    @Test func `without an agent, a key or a line for this user nobody is let in`() async throws {
      let scene = try PAMScene()
      let key = try await scene.enrol()
      #expect(await scene.refusal(PAMPerson(PAMScene.pin)) != nil)
      try await scene.withAgent { _ in
        try FileManager.default.removeItem(at: scene.enrolled.appending(path: PAMScene.user))
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == .notRecognised)
        for lines in [
          "", "# \(key.line)\n", "pin\n", "pin \(key.line.dropFirst(6))\n", "PIN \(key.line.dropFirst(4))\n",
          "pin 04\(String(repeating: "00", count: 64)) x\n", "pin 05\(key.line.dropFirst(6))\n",
        ] {
          try scene.write(lines)
          #expect(await scene.refusal(PAMPerson(PAMScene.pin)) != nil, "\(lines)")
        }
        try scene.write(key.line)
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == nil)
      }
    }

    @Test(arguments: ["666", "664", "646", "owner", "folder", "link", "directory", "pipe"])
    func `a file of keys that others could change is not read`(what: String) async throws {
      let scene = try PAMScene()
      let key = try await scene.enrol()
      let file = scene.enrolled.appending(path: PAMScene.user).path
      switch what {
      case "owner": #expect(chown(file, 65534, 65534) == 0)
      case "folder": #expect(chmod(scene.enrolled.path, 0o777) == 0)
      case "link":
        let elsewhere = scene.folder.file("elsewhere").path
        try FileManager.default.moveItem(atPath: file, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: elsewhere)
      case "directory", "pipe":
        try FileManager.default.removeItem(atPath: file)
        #expect((what == "pipe" ? mkfifo(file, 0o644) : mkdir(file, 0o755)) == 0)
      default: try scene.write(key.line, mode: Int(what, radix: 8) ?? 0)
      }
      try await scene.withAgent { notes in
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == .notRecognised)
        // Nobody was asked.
        #expect(notes.withLock { $0 }.isEmpty)
      }
    }

    @Test(arguments: [
      "verify=none", "pin", "debug", "keys=etc", "verify=consent verify=other", "callers=own", "mode=none",
      "mode=", "ledger=no",
    ])
    func `an option that the module does not know lets nobody in`(option: String) async throws {
      let scene = try PAMScene(options: option)
      try await scene.enrol()
      try await scene.withAgent { _ in #expect(await scene.refusal(PAMPerson(PAMScene.pin)) != nil) }
    }

    @Test(arguments: [
      "../keys/root", ".", "..", "root/", "-root", "rööt", "nobody-of-this-name",
      String(repeating: "a", count: 65),
    ])
    func `a user's name that is not a plain one is nobody's`(name: String) async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      try await scene.withAgent { _ in
        #expect(await scene.refusal(PAMPerson(PAMScene.pin), user: name) != nil)
      }
    }

    @Test func `a yes is enough only where the service says so, and a PIN always is`() async throws {
      let strict = try PAMScene()
      try await strict.enrol(pin: nil)
      try await strict.withAgent(consent: .yes) { _ in
        #expect(await strict.refusal(PAMPerson()) == .notRecognised)
      }
      let scene = try PAMScene(options: "verify=consent")
      try await scene.enrol(pin: nil)
      for (answer, isRecognised) in [(PersonAnswer.yes, true), (.no, false), (.nobody("nobody"), false)] {
        try await scene.withAgent(consent: answer) { _ in
          #expect((await scene.refusal(PAMPerson()) == nil) == isRecognised)
        }
      }
      let withPIN = try PAMScene(options: "verify=consent")
      try await withPIN.enrol()
      try await withPIN.withAgent { _ in #expect(await withPIN.refusal(PAMPerson(PAMScene.pin)) == nil) }
    }

    @Test func `a key for SSH or of an account is not one for PAM, even if root enrols it`() async throws {
      for tag in ["ssh:login", "login"] {
        let scene = try PAMScene()
        let other = try await scene.store.createKey(
          tag: tag, protection: .applicationPIN, unlock: .pin(PIN(PAMScene.pin)))
        guard case .p256(let x, let y) = other.publicKey.material else { return }
        let point = ([4] + x + y).map { String(format: "%02x", $0) }.joined()
        try scene.write("pin \(point) login\n")
        try await scene.withAgent { notes in
          #expect(await scene.refusal(PAMPerson(PAMScene.pin)) != nil)
          try await eventually("it is noted") {
            notes.withLock { $0.first?.contains("no enrolled key is on this device") } == true
          }
        }
      }
    }

    @Test func `a damaged record of another key keeps nobody out, and one of the enrolled key is named`()
      async throws
    {
      let folder = TemporaryFolder()
      let scene = try PAMScene(store: SoftwareKeyStore(directory: folder.url))
      try await scene.enrol()
      _ = try await scene.keys.add("other", pin: nil)
      let files = KeyFolder(folder.url, suffix: "key", limit: 1 << 16)
      try Data("{}".utf8).write(to: files.file(of: "pam:other"))
      try await scene.withAgent { notes in
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == nil)
        let enrolled = files.file(of: "pam:login")
        try Data("{}".utf8).write(to: enrolled)
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) != nil)
        try await eventually("a damaged file is named") {
          notes.withLock { $0.last?.contains("Failed: Cannot read \(folder.url.path)") } == true
        }
      }
    }

    @Test func `a key in the TPM signs for PAM, and the chip counts wrong PINs`() async throws {
      try await SoftwareTPM.run(certificates: false) { tpm in
        let store = try TPMKeyStore(directory: tpm.state.appending(path: "keys"), tcti: tpm.tcti)
        let scene = try PAMScene(store: store)
        try await scene.enrol()
        try await scene.withAgent { _ in
          let person = PAMPerson("111111", PAMScene.pin)
          #expect(await scene.refusal(person) == nil)
          #expect(person.questions.last?.hasPrefix("The PIN is wrong") == true, "\(person.questions)")
          #expect(await scene.refusal(PAMPerson("111111")) != nil)
        }
        #expect(try await store.keys().map(\.kind) == [.tpm])
      }
    }

    // The module's clock is the machine's, and a PIN takes seconds on a busy one. The exact minute is in PAMRequestTests.
    @Test(arguments: [(-90.0, false), (-30, true), (30, true), (90, false)])
    func `an answer to a challenge that is older than a minute is refused, and so is one from the future`(
      ahead: TimeInterval, isAnswered: Bool
    ) async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      let clock: @Sendable () -> Date = { Date(timeIntervalSinceNow: ahead) }
      try await scene.withAgent(clock: clock) { _ in
        #expect((await scene.refusal(PAMPerson(PAMScene.pin)) == nil) == isAnswered)
      }
      let code = try await RecoveryCodes(scene.file).renew()[0]
      try await scene.withRoot(clock: clock) { _ in
        #expect((await scene.refusal(PAMPerson(code)) == nil) == isAnswered)
      }
    }

    @Test func `a person who took more than a minute for the PIN was kept out by ledger=yes`() async throws {
      let scene = try PAMScene(options: "ledger=yes")
      try await scene.enrol()
      try await scene.withAgent { _ in
        try await scene.withRoot(clock: { Date(timeIntervalSinceNow: 89) }) { notes in
          #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == nil)
          try await eventually("it is noted") {
            notes.withLock { $0.first?.hasPrefix("Approved, signed and on record.") } == true
          }
        }
      }
    }

    @Test func `fifty at once are each answered for themselves`() async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      try await scene.withAgent { notes in
        let refusals = await withTaskGroup(of: (Bool, UserVerificationError?).self) { group in
          for number in 0..<50 {
            group.addTask {
              (number % 2 == 0, await scene.refusal(PAMPerson(number % 2 == 0 ? PAMScene.pin : "")))
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        for (isRight, refusal) in refusals { #expect((refusal == nil) == isRight) }
        try await eventually("all are noted") { notes.withLock { $0.count } == 50 }
        #expect(notes.withLock { $0.count { $0.hasPrefix("Signed.") } } == 25)
      }
    }

    @Test func `after three refusals nobody is asked for a minute, on whichever connection`() async throws {
      let scene = try PAMScene(options: "verify=consent")
      try await scene.enrol(pin: nil)
      try await scene.withAgent(consent: .no) { notes in
        for _ in 0..<4 { #expect(await scene.refusal(PAMPerson()) != nil) }
        try await eventually("the pause is noted") {
          notes.withLock { $0.contains { $0.contains("refused 3 times in a row") } }
        }
        #expect(
          notes.withLock { $0.count { $0.contains("refused 3 times in a row") } } == 1,
          "\(notes.withLock { $0 })")
      }
    }

    // MARK: What is asked of root

    // Every user can run sudo, as often as they like.
    @Test(arguments: ["", "mode=server", "mode=either", "mode=both", "ledger=yes"])
    func `people whom root knows nothing about keep nothing of root's busy`(options: String) async throws {
      let scene = try PAMScene(options: options)
      let connections = Locked(0)
      try await scene.withListener(at: scene.root) { _ in
        connections.withLock { $0 += 1 }
      } body: {
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == .notRecognised)
        try scene.write("# nothing\n")
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) != nil)
        #expect(connections.withLock { $0 } == 0)
        // The control: one with a code is asked for it.
        _ = try await RecoveryCodes(scene.file).renew()
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) != nil)
        #expect(connections.withLock { $0 } == 1)
      }
    }

    // systemd closes a connection that is one too many.
    @Test func `root's service that is too busy to answer is no reason to ask the key alone`() async throws {
      let scene = try PAMScene(options: "mode=either")
      try await scene.enrol()
      try await scene.file.setAccount("mira")
      let person = PAMPerson(PAMScene.pin)
      try await scene.withAgent { notes in
        try await scene.withListener(at: scene.root) { _ in
        } body: {
          #expect(await scene.refusal(person) == .notRecognised)
        }
        #expect(notes.withLock { $0.isEmpty } && person.questions.isEmpty, "\(person.questions)")
        // Nobody listens.
        #expect(await scene.refusal(person) == nil)
      }
    }

    @Test(arguments: ["mode=server", "mode=both", "mode=local"])
    func `root's service is not asked for somebody whose file others could change`(mode: String) async throws
    {
      let scene = try PAMScene(options: mode)
      try await scene.enrol()
      try await scene.file.setAccount("mira")
      _ = try await RecoveryCodes(scene.file).renew()
      #expect(chmod(scene.enrolled.path, 0o777) == 0)
      let connections = Locked(0)
      try await scene.withListener(at: scene.root) { _ in
        connections.withLock { $0 += 1 }
      } body: {
        #expect(await scene.refusal(PAMPerson(PAMScene.pin)) == .notRecognised)
        #expect(connections.withLock { $0 } == 0)
      }
    }

    // It was: one such failure ended the loop that accepts, or made it spin.
    @Test func `without a free descriptor a connection waits until there is one`() async throws {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder.make()
        let path = folder.file("run/socket").path
        let listening = try AgentSocket.listen(at: URL(filePath: path))
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isConnected = withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
          }
        }
        #expect(isConnected)
        var few = rlimit(rlim_cur: 200, rlim_max: 200)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few) == 0)
        var last: Int32 = -1
        while true {
          let next = dup(client)
          guard next >= 0 else { break }
          last = next
        }
        let spare = last
        Thread.detachNewThread {
          poll(nil, 0, 300)
          close(spare)
        }
        #expect(listening.connection(within: 10) != nil)
      }
    }

    // MARK: An agent that lies

    @Test func `an agent that asks on the desktop first does not take the command from the PIN's prompt`()
      async throws
    {
      let scene = try PAMScene()
      try await scene.enrol()
      let person = PAMPerson(PAMScene.pin)
      _ = try await scene.withListener { channel in
        _ = await channel.challenge()
        for line in ["asking", "pin"] { channel.send(line) }
        _ = await channel.line(within: 60)
      } body: {
        await scene.refusal(person)
      }
      #expect(person.texts.count == 2, "\(person.texts)")
      #expect(person.questions == ["\(person.texts[1])\nPIN: "], "\(person.questions)")
      #expect(person.texts.allSatisfy { $0.hasPrefix("Sealring: service on ,") }, "\(person.texts)")
    }

    @Test(arguments: [
      [], ["signature"], ["signature "], ["signature " + String(repeating: "00", count: 64)],
      ["signature " + String(repeating: "ff", count: 64)],
      ["signature " + String(repeating: "0x", count: 64)],
      ["signature " + String(repeating: "11", count: 65)], ["success"], ["refused"], ["unavailable"],
      ["locked"],
      [String(repeating: "a", count: 600)], Array(repeating: "asking", count: 20),
      // What only root's service may say.
      ["approved " + String(repeating: "0f", count: 32)], ["show hello", "approved"], ["ask PIN"],
      ["wrong -1\u{1B}[2J"], [""],
    ])
    func `whatever else an agent answers lets nobody in`(lines: [String]) async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      let refusal = try await scene.withListener { channel in
        _ = await channel.challenge()
        for line in lines { channel.send(line) }
      } body: {
        await scene.refusal(PAMPerson(PAMScene.pin))
      }
      #expect(refusal != nil)
    }

    @Test func `a signature is good for one challenge, and for its own words only`() async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      let key = try await scene.store.openKey(tag: "pam:login", unlock: .pin(PIN(PAMScene.pin)))
      let kept = Locked<[UInt8]>([])
      func refusal(_ sign: @escaping @Sendable ([UInt8]) async throws -> [UInt8]) async throws
        -> UserVerificationError?
      {
        try await scene.withListener { channel in
          guard let challenge = await channel.challenge(), let signature = try? await sign(challenge),
            let der = try? ECDSASignature.der(of: signature)
          else { return }
          channel.send("signature " + der.hexadecimal)
        } body: {
          await scene.refusal(PAMPerson())
        }
      }
      let honest = try await refusal { challenge in
        let signature = try await key.signature(for: challenge)
        kept.withLock { $0 = signature }
        return signature
      }
      #expect(honest == nil)
      #expect(try await refusal { _ in kept.withLock { $0 } } == .notRecognised)
      #expect(try await refusal { try await key.signature(for: $0.dropLast() + [32, 10]) } == .notRecognised)
      #expect(try await refusal { try await key.signature(for: Array($0.dropFirst())) } == .notRecognised)
      let other = P256.Signing.PrivateKey()
      #expect(try await refusal { try Array(other.signature(for: $0).rawRepresentation) } == .notRecognised)
    }

    @Test func `an agent that ends in a question ends the question`() async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      let person = PAMPerson(PAMScene.pin)
      let refusal = try await scene.withListener { channel in
        _ = await channel.challenge()
        channel.send("pin")
        shutdown(channel.descriptor, Int32(SHUT_RDWR))
      } body: {
        await scene.refusal(person)
      }
      #expect(refusal != nil)
    }

    @Test func `a socket of another user is not spoken to`() async throws {
      let scene = try PAMScene()
      try await scene.enrol()
      let folder = scene.folder.file("run")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      #expect(chown(folder.path, 65534, 65534) == 0)
      #expect(chmod(scene.folder.url.path, 0o755) == 0)
      let said = scene.folder.file("said")
      let stranger = try SpawnedProgram(
        "setpriv",
        [
          "--reuid", "65534", "--regid", "65534", "--clear-groups", "systemd-socket-activate", "-l",
          scene.socket, "--inetd", "-a", "cat",
        ],
        environment: SpawnedProgram.environment([:]), output: .file(said), errors: .output)
      try await eventually("it listens") {
        (try? String(contentsOf: said, encoding: .utf8))?.contains("Listening") == true
      }
      #expect(await scene.refusal(PAMPerson(PAMScene.pin)) != nil)
      stranger.send(SIGTERM)
      await stranger.end()
      #expect(try !String(contentsOf: said, encoding: .utf8).contains("sealring-pam"))
    }

    // It says what root's service says; the control is the same program of root's.
    @Test(arguments: [(0, true), (65534, false)])
    func `what another user says at the place of root's service is not believed`(owner: Int, isBelieved: Bool)
      async throws
    {
      let scene = try PAMScene(options: "mode=server")
      try await scene.file.setAccount("mira")
      let folder = scene.folder.file("root")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      #expect(chown(folder.path, uid_t(owner), gid_t(owner)) == 0)
      #expect(chmod(scene.folder.url.path, 0o755) == 0)
      let said = scene.folder.file("said")
      let liar = try SpawnedProgram(
        "setpriv",
        [
          "--reuid", "\(owner)", "--regid", "\(owner)", "--clear-groups", "systemd-socket-activate", "-l",
          scene.root, "--inetd", "-a", "sh", "-c",
          "while read name value; do [ $name = nonce ] && echo approved $value; done",
        ],
        environment: SpawnedProgram.environment([:]), output: .file(said), errors: .output)
      try await eventually("it listens") {
        (try? String(contentsOf: said, encoding: .utf8))?.contains("Listening") == true
      }
      #expect((await scene.refusal(PAMPerson()) == nil) == isBelieved)
      liar.send(SIGTERM)
      await liar.end()
    }

    @Test(arguments: [
      "approved " + String(repeating: "0f", count: 32), "approved", "signature 30", "success",
    ])
    func `an answer of root's service to another challenge lets nobody in`(answer: String) async throws {
      let scene = try PAMScene(options: "mode=server")
      try await scene.file.setAccount("mira")
      let isAsked = Locked(false)
      let refusal = try await scene.withListener(at: scene.root) { channel in
        isAsked.withLock { $0 = true }
        _ = await channel.challenge()
        channel.send(answer)
      } body: {
        await scene.refusal(PAMPerson())
      }
      #expect(refusal != nil && isAsked.withLock { $0 })
    }
  }
#endif
