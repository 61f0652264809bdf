#if os(Linux) && DEBUG
  import Agent
  import CommonFixtures
  import Concurrency
  import DeviceKeys
  import Foundation
  import PersonPrompts
  import RuntimeLibraries
  import Testing
  import UserVerification

  @testable import PAMAgent
  @testable import UserVerificationPAM

  /// The PAM module as programs load it, an agent that answers it, and a folder of enrolled keys. Root runs it: what root enrolled is what
  /// the module reads.
  struct PAMScene {
    static let pin = "294751"
    static let user = "root"

    let folder: TemporaryFolder
    let store: any DeviceKeyStore
    var keys: PAMKeys { PAMKeys(store: store) }
    var enrolled: URL { folder.file("keys") }
    var socket: String { folder.file("run/pam.socket").path }
    /// Where root's service listens.
    var root: String { folder.file("root/check.socket").path }
    var settings: URL { folder.file("pam-server.conf") }
    var record: PAMLog { PAMLog(folder.file("pam.log")) }
    /// Root's service. What is tested of the server may be at any port.
    var check: PAMCheck { check { Date() } }
    var file: PAMUserFile { get throws { try PAMUserFile(user: Self.user, folder: enrolled.path) } }

    private static let module: Result<URL, any Error> = Result {
      let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized
      let file = kept.file("pam_sealring.so")
      try FileManager.default.createDirectory(at: kept.url, withIntermediateDirectories: true)
      let build = try SpawnedProgram(
        root.appending(path: "scripts/pam-module").path, [file.path],
        environment: SpawnedProgram.environment([:]),
        output: .file(kept.file("log")), errors: .output)
      guard build.wait() == 0 else { throw AgentError("scripts/pam-module does not compile the module.") }
      return file
    }

    private static let kept = TemporaryFolder()

    /// - Parameter options: What the module's line says besides where keys and agent are.
    init(options: String = "", store: any DeviceKeyStore = MemoryKeyStore()) throws {
      self.store = store
      folder = try TemporaryFolder.make()
      try FileManager.default.createDirectory(
        at: enrolled, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
      let line =
        "auth required \(try Self.module.get().path) keys=\(enrolled.path) socket=\(socket) check=\(root) \(options)"
      try Data("\(line)\naccount required pam_permit.so\n".utf8).write(to: folder.file("service"))
    }

    /// Makes a key and enrols it.
    @discardableResult func enrol(_ name: String = "login", pin: String? = pin) async throws -> PAMKey {
      let key = try await keys.add(name, pin: pin.map { PIN($0) })
      try write(
        (try? String(contentsOf: enrolled.appending(path: Self.user), encoding: .utf8)) ?? "" + key.line
          + "\n")
      return key
    }

    func write(_ lines: String, mode: Int = 0o644) throws {
      let file = enrolled.appending(path: Self.user)
      try Data(lines.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }

    /// What the module makes of a person who answers so; a reason, or `nil` when they are recognised.
    func refusal(_ person: any CredentialSource, user: String = user) async -> UserVerificationError? {
      do {
        try await PAMVerifier(service: "service", user: user, configuration: folder.url)
          .verify(reason: "Test", source: person)
        return nil
      } catch { return error as? UserVerificationError ?? .unavailable("\(error)") }
    }

    /// Runs `body` with an agent of the keys.
    func withAgent<Value>(
      consent: PersonAnswer = .no, clock: @escaping @Sendable () -> Date = { Date() },
      _ body: (Locked<[String]>) async throws -> Value
    ) async throws -> Value {
      let notes = Locked<[String]>([])
      let questions = AgentQuestions(
        prompt: Saying(consent),
        log: AgentLog(file: folder.file("log")) { note in
          notes.withLock { $0.append(note) }
        })
      let conversation = PAMConversation(
        keys: keys, user: Self.user, uid: geteuid(), questions: questions, clock: clock)
      return try await withListener { channel in
        let note = await conversation.answer(channel)
        notes.withLock { $0.append(note) }
      } body: {
        try await body(notes)
      }
    }

    /// Runs `body` with root's service.
    func withRoot<Value>(
      clock: @escaping @Sendable () -> Date = { Date() }, _ body: (Locked<[String]>) async throws -> Value
    ) async throws -> Value {
      let notes = Locked<[String]>([])
      let check = check(clock)
      return try await withListener(at: root) { channel in
        let note = await check.answer(channel)
        notes.withLock { $0.append(note) }
      } body: {
        try await body(notes)
      }
    }

    private func check(_ clock: @escaping @Sendable () -> Date) -> PAMCheck {
      PAMCheck(
        folder: enrolled.path, settings: settings, log: record, places: PAMPlaces(folder.file("places")),
        firstPortOfAll: .max, clock: clock)
    }

    /// A challenge that was made now.
    func challenge(for user: String, verify: String = "recovery", caller: String = "", remote: String = "")
      -> String
    {
      """
      sealring-pam 1
      nonce \(String(repeating: "0f", count: 32))
      time \(Int(Date().timeIntervalSince1970))
      host laptop
      service sudo
      user \(user)
      caller \(caller)
      remote \(remote)
      terminal /dev/pts/3
      program /usr/bin/sudo
      command true
      left-out 0
      verify \(verify)


      """
    }

    /// Asks root's service as the module does, by the text of a challenge.
    func ask(_ challenge: String) throws -> Asking {
      let asking = try Asking()
      asking.module.send(challenge.trimmingCharacters(in: .newlines) + "\n")
      let check = check
      Task.detached {
        let note = await check.answer(asking.service)
        asking.note.withLock { $0 = note }
        shutdown(asking.service.descriptor, Int32(SHUT_RDWR))
      }
      return asking
    }

    /// Runs `body` with something else where the agent should be.
    func withListener<Value>(
      at path: String? = nil, _ serve: @escaping @Sendable (PAMChannel) async -> Void,
      body: () async throws -> Value
    ) async throws -> Value {
      let path = path ?? socket
      let socket = try AgentSocket.listen(at: URL(filePath: path))
      let done = Signal()
      Thread.detachNewThread {
        while let connection = socket.connection() {
          let channel = PAMChannel(connection)
          Task.detached {
            if let channel { await serve(channel) }
            close(connection)
          }
        }
        done.fire()
      }
      let result = try await body()
      shutdown(socket.descriptor, Int32(SHUT_RDWR))
      await done.wait()
      close(socket.descriptor)
      // The lock is this process's until it ends.
      try FileManager.default.removeItem(atPath: path + ".lock")
      return result
    }
  }

  /// The two ends of a connection to root's service.
  final class Asking: Sendable {
    let module: PAMChannel
    let service: PAMChannel
    let note = Locked<String?>(nil)

    init() throws {
      var ends: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      module = try #require(PAMChannel(ends[0]))
      service = try #require(PAMChannel(ends[1]))
    }

    deinit { for end in [module, service] { close(end.descriptor) } }

    /// The next line; `nil` at the end.
    func line() async -> String? {
      await module.line(within: 60).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The module goes away.
    func end() { shutdown(module.descriptor, Int32(SHUT_RDWR)) }
  }

  /// A person who says the same to every question.
  struct Saying: PersonPrompt {
    private let answer: PersonAnswer

    init(_ answer: PersonAnswer) { self.answer = answer }

    func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer { answer }
  }

  /// Answers what PAM asks, one after the other, and keeps what was asked; afterwards closes the conversation.
  final class PAMPerson: CredentialSource {
    private let state: Locked<(answers: [String], questions: [String], texts: [String])>

    init(_ answers: String...) { state = Locked((answers, [], [])) }

    var questions: [String] { state.withLock { $0.questions } }
    var texts: [String] { state.withLock { $0.texts } }

    func show(_ message: String) async { state.withLock { $0.texts.append(message) } }

    func answer(to question: CredentialQuestion) async -> CredentialSecret? {
      state.withLock { state in
        state.questions.append(question.prompt)
        return state.answers.isEmpty ? nil : CredentialSecret(state.answers.removeFirst())
      }
    }
  }
#endif
