import DeviceKeys
import Foundation
import SoftwareTPM
import Testing

@testable import DeviceKeysTPM

extension OnAChip {
  /// Other programs, full disks, and files of other keys.
  @Suite(.softwareTPM) struct Disturbances {
    let tpm: TestChip
    let store: TPMKeyStore

    init() throws {
      tpm = try TestChip.required()
      store = try tpm.store()
    }

    @Test func `a program that holds the chip makes it busy and not hang`() async throws {
      let address = try #require(SocketTransport.Address(tcti: tpm.tpm.tcti))
      let chip = try tpm.chip(answerLimit: .milliseconds(300))
      let waiting = try TPMKeyStore(directory: store.folder, chip: chip)
      // swtpm serves this one, who says nothing, and lets all others wait.
      let holder = try SocketTransport(address, limit: .seconds(1))
      await #expect(throws: DeviceKeyError.self) {
        try await waiting.createKey(tag: "k", protection: .none, unlock: .nothing)
      }
      guard case .unavailable(let reason) = await waiting.availability() else {
        Issue.record("The chip answered two at once")
        return
      }
      #expect(reason.contains("busy"))
      withExtendedLifetime(holder) {}
    }

    @Test func `a process that is started in the middle of a conversation does not keep it open`()
      async throws
    {
      let child = try await tpm.chip().run { _ in try UncarefulChild() }
      defer { child.end() }
      // Without the connection's flag, swtpm would go on waiting for what the child has to say.
      let chip = try tpm.chip(answerLimit: .seconds(20))
      #expect(try await chip.run { try $0.handles() } == [])
    }

    /// Both are processes of their own: while an exit test runs, this one has a thread less, and could keep the chip from it.
    @Test func `two processes use the same keys at the same time`() async throws {
      _ = try await store.createPINKey()
      async let one = #expect(processExitsWith: .success) {
        [tcti = tpm.tpm.tcti as String, folder = tpm.folder as URL] in
        let store = try TestChip.store(tcti: tcti, folder: folder)
        let key = try await store.open(pin: "4711")
        for _ in 1...10 { try await expectSigns(key, for: key) }
        // And programs that know nothing of our lock.
        for _ in 1...3 { try await TestChip.tool("tpm2_getrandom", ["8"], tcti: tcti, folder: folder) }
      }
      async let other = #expect(processExitsWith: .success) {
        [tcti = tpm.tpm.tcti as String, folder = tpm.folder as URL] in
        let store = try TestChip.store(tcti: tcti, folder: folder)
        let key = try await store.open(pin: "4711")
        for _ in 1...10 { try await expectSigns(key, for: key) }
        try await store.createPINKey("theirs")
      }
      _ = await (one, other)
      _ = try await store.open("theirs", pin: "4711")
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `what cannot be written leaves what was there`() async throws {
      let key = try await store.createPINKey()
      await #expect(processExitsWith: .success) {
        [tcti = tpm.tpm.tcti as String, folder = tpm.folder as URL] in
        let store = try TPMKeyStore(
          directory: folder.appendingPathComponent("keys"),
          chip: TestChip.chip(tcti: tcti, folder: folder))
        // No file of this process can grow beyond that: the count of wrong PINs fits, a key does not.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 200, rlim_max: 200)
        try #require(setrlimit(fileSizeLimit, &limit) == 0)
        do {
          try await store.changePIN(tag: "k", from: PIN("4711"), to: PIN("5555"))
          exit(3)
        } catch DeviceKeyError.unwritable(let path, _) {
          try #require(path == store.file(of: "k").path)
        }
        do {
          _ = try await store.createKey(tag: "new", protection: .none, unlock: .nothing)
          exit(4)
        } catch DeviceKeyError.unwritable {}
      }
      #expect(try await store.keys().map(\.tag) == ["k"])
      try await expectSigns(try await store.open(pin: "4711"), for: key)
    }

    @Test func `the authorisation of another key is a mix-up`() async throws {
      let unlock = KeyUnlock.authorization(AuthorizationValue())
      _ = try await store.createKey(tag: "k", protection: .biometricOrCredential, unlock: unlock)
      for _ in 1...40 {
        await #expect(throws: DeviceKeyError.self) {
          try await store.openKey(tag: "k", unlock: .authorization(AuthorizationValue()))
        }
      }
      // Nobody counts: 32 random bytes cannot be guessed.
      _ = try await store.openKey(tag: "k", unlock: unlock)
      #expect(try await tpm.chip().run { try $0.lockout()?.failures } == 0)
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `a blob of another key is unreadable`() async throws {
      _ = try await store.createKey(tag: "a", protection: .none, unlock: .nothing)
      _ = try await store.createKey(tag: "b", protection: .none, unlock: .nothing)
      let (a, b) = (try read("a"), try read("b"))
      let mixed = try a.replacing(privateBlob: b.blobs.privateBlob)
      try Data(mixed.serialized).write(to: store.file(of: "a"))
      do {
        _ = try await store.openKey(tag: "a", unlock: .nothing)
        Issue.record("A key opened whose halves do not belong together")
      } catch DeviceKeyError.unreadable(let path, let reason) {
        #expect(path == store.file(of: "a").path)
        #expect(reason.contains("TPM2_Load"))
      }
      _ = try await store.openKey(tag: "b", unlock: .nothing)
      #expect(try await tpm.handles().isEmpty)
    }

    private func read(_ tag: String) throws -> TPMKeyFile {
      try TPMKeyFile(parsing: Array(Data(contentsOf: store.file(of: tag))))
    }

    @Test func `a software TPM ends with the process that started it, also when that is killed`() async throws
    {
      let folder = tpm.folder.appendingPathComponent("orphan")
      await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as URL] in
        try await SoftwareTPM.run(state: folder, certificates: false) { tpm in
          try Data(tpm.tcti.utf8).write(to: folder.appendingPathComponent("tcti"))
          kill(getpid(), SIGKILL)
        }
      }
      let tcti = try String(contentsOf: folder.appendingPathComponent("tcti"), encoding: .utf8)
      let address = try #require(SocketTransport.Address(tcti: tcti))
      let deadline = ContinuousClock.now + .seconds(30)
      while (try? SocketTransport(address, limit: .seconds(1))) != nil {
        try #require(ContinuousClock.now < deadline, "The TPM outlives its process")
      }
    }

    @Test func `a chip that loses its power is unavailable`() async throws {
      _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
      tpm.tpm.kill()
      await #expect(throws: DeviceKeyError.self) { try await store.openKey(tag: "k", unlock: .nothing) }
      #expect(await store.availability() != .available)
    }
  }
}

#if canImport(Glibc)
  let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
  let fileSizeLimit = RLIMIT_FSIZE
#endif

/// A program that is started as most programs start others: it inherits whatever is open and not marked.
struct UncarefulChild: Sendable {
  let process: pid_t
  private let lifeline: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    var process: pid_t = 0
    let argv = [strdup("/bin/cat"), nil]
    defer { free(argv[0]) }
    let result = posix_spawn(&process, "/bin/cat", &actions, nil, argv, environ)
    close(ends[0])
    try #require(result == 0)
    self.process = process
    lifeline = ends[1]
  }

  func end() {
    close(lifeline)
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
