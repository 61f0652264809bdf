public import Foundation

/// A TPM 2.0 in software: a swtpm process with a state of its own, which ends with the call that started it, and with
/// this process however that ends.
///
/// It guards nothing: its keys are in a file. It is for tests, and for showing what a real chip would do.
public final class SoftwareTPM: Sendable {
  /// How tpm2-tss names the chip.
  public let tcti: String

  /// Where the chip's state is.
  public let state: URL

  /// The certificate of the authority that has certified the chip's endorsement keys, and the ones above it, as PEM files;
  /// empty for a chip without certificates.
  public let endorsementAuthorities: [URL]

  private let process: ChildProcess
  private let ports: PortPair

  private init(state: URL, authorities: [URL], process: ChildProcess, ports: PortPair) {
    tcti = "swtpm:host=127.0.0.1,port=\(ports.first)"
    self.state = state
    endorsementAuthorities = authorities
    self.process = process
    self.ports = ports
  }

  /// Runs `body` with a chip.
  ///
  /// - Parameters:
  ///   - state: A folder for the chip's state, which is kept and may hold an earlier one; without it the chip is new and
  ///     forgotten afterwards.
  ///   - certificates: Whether a new chip gets endorsement certificates from an authority of its own, as a real one has from its maker.
  /// - Throws: ``SoftwareTPMError`` when it cannot be started; what `body` throws.
  public static func run<Result: Sendable>(
    state: URL? = nil, certificates: Bool = true, _ body: (SoftwareTPM) async throws -> Result
  ) async throws -> Result {
    let folder =
      state ?? FileManager.default.temporaryDirectory.appending(path: "sealring-tpm-\(UUID().uuidString)")
    let chip = try await onThread { try start(in: folder, certificates: certificates) }
    do {
      let result = try await body(chip)
      await chip.end(keeping: state != nil)
      return result
    } catch {
      await chip.end(keeping: state != nil)
      throw error
    }
  }

  /// Ends the chip at once, as if its power went.
  public func kill() { process.kill() }

  private func end(keeping isKept: Bool) async {
    await Self.onThread { [process, ports, state] in
      process.end()
      ports.release()
      if !isKept { try? FileManager.default.removeItem(at: state) }
    }
  }

  private static func start(in folder: URL, certificates: Bool) throws -> SoftwareTPM {
    let swtpm = try Program.find("swtpm", package: "swtpm")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let authority = LocalAuthority(folder: folder.appending(path: "authority"))
    let stateFile = folder.appending(path: "tpm2-00.permall")
    if certificates, !FileManager.default.fileExists(atPath: stateFile.path(percentEncoded: false)) {
      try authority.manufacture(in: folder)
    }
    for _ in 1...20 {
      let ports = try PortPair()
      let process = try ChildProcess(
        swtpm,
        [
          "socket", "--tpm2", "--tpmstate", "dir=\(folder.path(percentEncoded: false))",
          "--server", "type=tcp,port=\(ports.first),bindaddr=127.0.0.1",
          "--ctrl", "type=tcp,port=\(ports.second),bindaddr=127.0.0.1",
          "--flags", "not-need-init,startup-clear",
        ])
      if ports.answersAsTPM(while: { process.isRunning }) {
        return SoftwareTPM(
          state: folder, authorities: authority.certificates, process: process, ports: ports)
      }
      process.end()
      ports.release()
    }
    throw SoftwareTPMError("swtpm does not start: run it by hand to see why.")
  }

  /// Runs `body`, which waits for processes, on a thread of its own.
  private static func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  private static func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        body()
        continuation.resume()
      }
    }
  }
}

/// Why there is no TPM in software.
public struct SoftwareTPMError: LocalizedError, Sendable {
  private let reason: String

  init(_ reason: String) { self.reason = reason }

  public var errorDescription: String? { reason }
}
