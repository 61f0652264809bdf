public import Foundation

/// A software TPM 2.0: a swtpm process with its own state, which ends with the call that started it, and with this process in any case.
///
/// It protects nothing, because its keys are in a file, and is for tests and demonstrations. It serves one client at a time.
public final class SoftwareTPM: Sendable {
  /// The chip's TCTI for tpm2-tss.
  public let tcti: String

  /// The folder with the chip's state.
  public let state: URL

  /// The certificates of the authority that replaces the chip's maker, as PEM files: first the issuer of the endorsement
  /// certificates, then the root. Empty for a chip without certificates.
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
  ///   - state: A folder for the chip's state, which is kept and may contain an earlier one; `nil` for a new chip that is
  ///     deleted afterwards.
  ///   - certificates: Whether a new chip gets endorsement certificates, as real chips do from their maker. They come from
  ///     its own authority, in the folder `authority` of its state.
  /// - Throws: ``SoftwareTPMError`` when the TPM cannot be started; errors of `body`.
  public static func run<Result>(
    state: URL? = nil, certificates: Bool = true, isolation: isolated (any Actor)? = #isolation,
    _ body: (SoftwareTPM) async throws -> Result
  ) async throws -> Result {
    let folder =
      state
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("sealring-tpm-\(UUID().uuidString)", isDirectory: true)
    defer { if state == nil { try? FileManager.default.removeItem(at: folder) } }
    let chip = try await start(in: folder, certificates: certificates)
    do {
      let result = try await body(chip)
      await chip.end()
      return result
    } catch {
      await chip.end()
      throw error
    }
  }

  /// Kills the chip, like a power failure.
  public func kill() { process.kill() }

  private func end() async {
    process.kill()
    _ = await process.end()
    ports.release()
  }

  private static func start(in folder: URL, certificates: Bool) async throws -> SoftwareTPM {
    let swtpm = try Program.path(of: "swtpm", package: "swtpm")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let authority = LocalAuthority(folder: folder.appendingPathComponent("authority", isDirectory: true))
    let stateFile = folder.appendingPathComponent("tpm2-00.permall")
    if certificates, !FileManager.default.fileExists(atPath: stateFile.path) {
      try await authority.manufacture(in: folder)
    }
    let log = folder.appendingPathComponent("swtpm.log")
    for _ in 1...20 {
      let ports = try PortPair()
      let process = try await ChildProcess.start(
        swtpm,
        [
          "socket", "--tpm2", "--tpmstate", "dir=\(folder.path)",
          "--server", "type=tcp,port=\(ports.first),bindaddr=127.0.0.1",
          "--ctrl", "type=tcp,port=\(ports.second),bindaddr=127.0.0.1",
          "--flags", "not-need-init,startup-clear",
        ], output: log)
      if await ports.answer(while: { process.isRunning }) {
        return SoftwareTPM(state: folder, authorities: authority.certificates, process: process, ports: ports)
      }
      process.kill()
      _ = await process.end()
      ports.release()
    }
    throw SoftwareTPMError("swtpm does not start: \(SoftwareTPMError.end(of: log))")
  }
}

/// The reason why there is no software TPM, and the next step.
public struct SoftwareTPMError: LocalizedError, Sendable {
  public let errorDescription: String?

  init(_ text: String) { errorDescription = text }

  /// The end of a program's output.
  static func end(of log: URL) -> String {
    let text = (try? Data(contentsOf: log)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.isEmpty ? "it left no message." : String(text.suffix(500))
  }
}
