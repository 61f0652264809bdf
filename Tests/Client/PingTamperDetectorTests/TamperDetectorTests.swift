#if os(Linux)
  import CommonFixtures
  import Foundation
  import PingCommons
  import Testing

  @testable import PingTamperDetector

  private struct Answering: TamperDetectorProtocol {
    let score: Double
    func analyze() -> Double { score }
  }

  @Suite("Signs of tampering")
  struct TamperDetectorTests {
    private let folder = TemporaryFolder()

    /// A system without any sign; `files` are by path, with their text.
    private func system(
      _ files: [String: String] = [:], environment: [String: String] = [:], isAdministrator: Bool = false
    ) throws -> ExaminedSystem {
      for (path, text) in files {
        let file = folder.url.appending(path: path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      return ExaminedSystem(
        root: folder.url.path, environment: environment, isAdministrator: isAdministrator)
    }

    private func permit(_ mode: Int, _ path: String) throws {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: folder.url.appending(path: path).path)
    }

    // MARK: All together

    @Test(
      arguments: [
        ([], -1), ([0], 0), ([0.2, 0.7, 0.1], 0.7), ([5], 1), ([-1], 0), ([-.infinity, 0.4], 0.4),
        ([.nan], 0), ([.nan, 0.5], 0.5), ([0.5, .nan], 0.5), ([.infinity], 1),
      ] as [([Double], Double)])
    func `the highest answer counts`(scores: [Double], expected: Double) {
      let detector = TamperDetector(detectors: scores.map(Answering.init))
      #expect(detector.analyze() == expected)
      #expect(detector.analyze(forceRunOnSimulator: true) == expected)
    }

    @Test func `detectors of the app are asked besides those of the module`() {
      #expect(TamperDetector(customDetectors: [Answering(score: 1)]).analyze() == 1)
      #expect(TamperDetector(customDetectors: []).analyze() == TamperDetector().analyze())
      #expect((0...1).contains(TamperDetector().analyze()))
    }

    @Test func `detectors of an app that are not safe for threads are called one at a time`() async {
      final class Counting: TamperDetectorProtocol {
        nonisolated(unsafe) var running = 0
        nonisolated(unsafe) var most = 0
        func analyze() -> Double {
          running += 1
          most = max(most, running)
          running -= 1
          return 0
        }
      }
      let counting = Counting()
      let detector = TamperDetector(detectors: [counting])
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<200 { group.addTask { _ = detector.analyze() } }
      }
      #expect(counting.most == 1 && counting.running == 0)
    }

    @Test func `the detectors have their published names`() {
      let detectors: [any TamperDetectorProtocol] = [
        SuspiciousFilesExistenceDetector(), SuspiciousFilesAccessableDetector(), URLSchemeDetector(),
        RestrictedDirectoriesWritableDetector(), SymbolicLinkDetector(), DyldDetector(), SandboxDetector(),
        SuspiciousObjCClassesDetector(), SandboxRestrictedFilesAccessable(),
      ]
      for detector in detectors { #expect((0...1).contains(detector.analyze()), "\(detector)") }
    }

    // MARK: One by one, on Linux

    @Test func `a system without signs has the score 0`() throws {
      let system = try system(["/etc/ld.so.preload": "# nothing\n\n", "/proc/self/status": "TracerPid:\t0\n"])
      let detectors: [any TamperDetectorProtocol] = [
        SuspiciousFilesExistenceDetector(system: system), SuspiciousFilesAccessableDetector(system: system),
        URLSchemeDetector(system: system), RestrictedDirectoriesWritableDetector(system: system),
        SymbolicLinkDetector(system: system), DyldDetector(system: system), SandboxDetector(system: system),
        SuspiciousObjCClassesDetector(system: system), SandboxRestrictedFilesAccessable(system: system),
      ]
      #expect(TamperDetector(detectors: detectors).analyze() == 0)
    }

    @Test func `a library that the system loads into every program`() throws {
      let system = try system(["/etc/ld.so.preload": "# comment\n/usr/lib/hook.so\n"])
      #expect(SuspiciousFilesExistenceDetector(system: system).analyze() == 1)
    }

    @Test(arguments: [(0o755, 0.0), (0o777, 1), (0o757, 1)])
    func `a program that everybody may replace`(mode: Int, score: Double) throws {
      let system = try system(["/proc/self/exe": "program"])
      try permit(mode, "/proc/self/exe")
      #expect(SuspiciousFilesAccessableDetector(system: system).analyze() == score)
    }

    @Test(arguments: [
      ("/usr/bin", 0o755, 0.0), ("/usr/bin", 0o777, 1), ("/etc", 0o777, 1), ("/etc", 0o1777, 0),
    ])
    func `a system folder in which everybody may write`(path: String, mode: Int, score: Double) throws {
      let system = try system(["\(path)/x": ""])
      try permit(mode, path)
      #expect(RestrictedDirectoriesWritableDetector(system: system).analyze() == score)
      try permit(0o755, path)
    }

    @Test(arguments: [
      ("usr/bin", 0.0), ("/usr/bin", 0), ("./usr/bin", 0), ("/home/eve/bin", 1), ("/tmp", 1), ("../x", 1),
    ])
    func `a system folder that is a link to elsewhere`(target: String, score: Double) throws {
      let system = try system(["/var/x": ""])
      try FileManager.default.createSymbolicLink(
        atPath: folder.url.appending(path: "bin").path, withDestinationPath: target)
      #expect(SymbolicLinkDetector(system: system).analyze() == score)
    }

    @Test(arguments: [
      ("LD_PRELOAD", "/x.so", 0.9), ("LD_AUDIT", "/x.so", 0.9), ("LD_PRELOAD", "", 0), ("PATH", "/bin", 0),
    ])
    func `a library that the environment loads`(name: String, value: String, score: Double) throws {
      #expect(DyldDetector(system: try system(environment: [name: value])).analyze() == score)
    }

    @Test func `a debugger, and a container`() throws {
      let traced = try system(["/proc/self/status": "Name:\tx\nTracerPid:\t17\n"])
      #expect(SandboxDetector(system: traced).analyze() == 1)
      let untraced = try system(["/proc/self/status": "Name:\tx\nTracerPid:\t0\n"])
      #expect(SandboxDetector(system: untraced).analyze() == 0)
      #expect(SandboxDetector(system: try system(environment: ["container": "podman"])).analyze() == 0.3)
      #expect(SandboxDetector(system: try system(["/.dockerenv": ""])).analyze() == 0.3)
    }

    @Test(arguments: [
      ("7f0-7f1 r-xp 0 00:01 12   /tmp/re.frida.server/frida-agent-64.so", 1.0),
      ("7f0-7f1 r-xp 0 00:01 12   /opt/with blanks/frida-gadget.so", 1),
      ("7f0-7f1 r-xp 0 00:01 12   /home/frida/app", 0), ("7f0-7f1 r-xp 0 00:00 0", 0), ("", 0),
    ])
    func `a tool's library in the process's memory`(line: String, score: Double) throws {
      let system = try system(["/proc/self/maps": "\(line)\n"])
      #expect(SuspiciousObjCClassesDetector(system: system).analyze() == score)
    }

    @Test func `passwords that everybody may read`() throws {
      let files = ["/etc/shadow": "root:x\n"]
      #expect(SandboxRestrictedFilesAccessable(system: try system(files)).analyze() == 1)
      let administrator = try system(files, isAdministrator: true)
      #expect(SandboxRestrictedFilesAccessable(system: administrator).analyze() == 0)
    }

    // MARK: The policy

    @Test(
      arguments: [(nil, 0.79, true), (nil, 0.8, false), (0.5, 0.5, false), (0.5, 0.4, true), (1, 0.99, true)]
        as [((any Sendable)?, Double, Bool)])
    func `the policy is met below the server's limit`(limit: (any Sendable)?, score: Double, isMet: Bool)
      async throws
    {
      let policy = DeviceTamperingPolicy { score }
      #expect(policy.name == "deviceTampering")
      #expect(try await policy.evaluate(data: limit.map { ["score": $0] }) == isMet)
    }
  }
#endif
