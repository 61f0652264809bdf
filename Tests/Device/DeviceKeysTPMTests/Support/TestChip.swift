import CTSS2
import DeviceKeys
import Foundation
import SoftwareTPM
import Testing

@testable import DeviceKeysTPM

/// All tests that run on a chip, one after the other: the suites in this one are its extensions.
@Suite(.serialized) enum OnAChip {}

/// A real TPM 2.0 in software, and ways to it that do not go through the store.
struct TestChip: Sendable {
  let tpm: SoftwareTPM

  /// The chip of the test that is running; see ``SoftwareTPMTrait``.
  @TaskLocal static var current: TestChip?

  static func required() throws -> TestChip { try #require(current, "The suite lacks .softwareTPM") }

  var folder: URL { tpm.state }

  /// The same way to the chip that stores take, with a lock of this chip's own.
  func chip(
    answerLimit: Duration = .seconds(60), pause: @escaping @Sendable (Int) async -> Void = { _ in }
  ) throws -> TPMChip {
    try Self.chip(tcti: tpm.tcti, folder: folder, answerLimit: answerLimit, pause: pause)
  }

  static func chip(
    tcti: String, folder: URL, answerLimit: Duration = .seconds(60),
    pause: @escaping @Sendable (Int) async -> Void = { _ in }
  ) throws -> TPMChip {
    try TPMChip(
      ChipAddress(tcti), lockFolder: folder.appendingPathComponent("lock"), answerLimit: answerLimit,
      pause: pause)
  }

  /// The store of another process, in the folder ``store(_:pinAttempts:clock:)`` has by default; it waits for its turn as programs do.
  static func store(tcti: String, folder: URL) throws -> TPMKeyStore {
    try TPMKeyStore(
      directory: folder.appendingPathComponent("keys"),
      chip: try chip(tcti: tcti, folder: folder, pause: TPMChip.wait))
  }

  /// A store in the folder `name`, where wrong PINs have no consequence but the chip's, unless `pinAttempts` says so.
  func store(
    _ name: String = "keys", pinAttempts: PINAttemptPolicy = PINAttemptPolicy(delays: []),
    clock: @escaping @Sendable () -> Date = { Date() }
  ) throws -> TPMKeyStore {
    try TPMKeyStore(
      directory: folder.appendingPathComponent(name), chip: chip(), pinAttempts: pinAttempts, clock: clock)
  }

  /// The objects and sessions in the chip's slots.
  func handles() async throws -> [UInt32] { try await chip().run { try $0.handles() } }

  /// How many wrong PINs lock the chip, and after how many seconds one is forgotten.
  func setLockout(after tries: Int, recovery: Int) async throws {
    try await tool("tpm2_dictionarylockout", "-s", "-n", "\(tries)", "-t", "\(recovery)", "-l", "1")
  }

  /// Runs one of tpm2-tools on this chip, or another program; expects that it succeeds.
  ///
  /// - Returns: What it wrote.
  @discardableResult
  func tool(_ name: String, _ arguments: String...) async throws -> String {
    try await Self.tool(name, arguments, tcti: tpm.tcti, folder: folder)
  }

  @discardableResult
  static func tool(_ name: String, _ arguments: [String], tcti: String, folder: URL) async throws -> String {
    let (status, output) = try await run(name, arguments, tcti: tcti, folder: folder)
    try #require(status == 0, "\(name) \(arguments): \(output)")
    return output
  }

  func run(_ name: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
    try await Self.run(name, arguments, tcti: tpm.tcti, folder: folder)
  }

  private static func run(
    _ name: String, _ arguments: [String], tcti: String, folder: URL
  ) async throws -> (status: Int32, output: String) {
    let package = name.hasPrefix("tpm2_") ? "tpm2-tools" : name
    let output = folder.appendingPathComponent("\(UUID().uuidString).log")
    let process = try await ChildProcess.start(
      try Program.path(of: name, package: package), arguments,
      environment: ["TPM2TOOLS_TCTI": tcti, "TSS2_LOG": "all+NONE"], output: output)
    let status = await process.end()
    return (status, String(decoding: try Data(contentsOf: output), as: UTF8.self))
  }

  /// Writes bytes for a tool to read.
  func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let url = folder.appendingPathComponent(name)
    try Data(bytes).write(to: url)
    return url.path
  }
}

/// Gives each test a chip of its own.
struct SoftwareTPMTrait: SuiteTrait, TestTrait, TestScoping {
  let certificates: Bool
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await SoftwareTPM.run(certificates: certificates) { tpm in
      try await TestChip.$current.withValue(TestChip(tpm: tpm), operation: function)
    }
  }
}

extension Trait where Self == SoftwareTPMTrait {
  /// A chip without certificates.
  static var softwareTPM: Self { Self(certificates: false) }

  /// A chip whose endorsement keys an authority has certified.
  static var certifiedTPM: Self { Self(certificates: true) }
}
