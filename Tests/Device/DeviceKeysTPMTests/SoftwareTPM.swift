import CTSS2
import Foundation
import Testing

@testable import DeviceKeysTPM

/// A real TPM 2.0 in software, swtpm, with a state of its own; ends with the object.
final class SoftwareTPM: Sendable {
  let port: Int
  let folder: URL
  private let process: ChildProcess

  var tcti: String { "swtpm:host=127.0.0.1,port=\(port)" }

  /// A chip with default dictionary attack parameters.
  ///
  /// - Parameter certificates: Whether a local authority has certified its endorsement keys.
  init(certificates: Bool = false) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("sealring-tpm-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    if certificates {
      let setup = try ChildProcess([
        "/usr/bin/swtpm_setup", "--tpm2", "--tpmstate", folder.path, "--create-ek-cert",
        "--create-platform-cert", "--overwrite",
      ])
      try #require(setup.wait() == 0)
    }
    (port, process) = try Self.start(in: folder)
  }

  deinit {
    process.end()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func start(in folder: URL) throws -> (Int, ChildProcess) {
    for _ in 1...10 {
      let port = Int.random(in: 20000...60000)
      let process = try ChildProcess([
        "/usr/bin/swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(folder.path)",
        "--server", "type=tcp,port=\(port),bindaddr=127.0.0.1",
        "--ctrl", "type=tcp,port=\(port + 1),bindaddr=127.0.0.1",
        "--flags", "not-need-init,startup-clear",
      ])
      // It either answers or, when a port is taken, ends.
      for _ in 1...500 where process.isRunning {
        if (try? TPMConnection.use("swtpm:host=127.0.0.1,port=\(port)", { _ in })) != nil {
          return (port, process)
        }
        usleep(10_000)
      }
      process.end()
    }
    throw CocoaError(.executableNotLoadable)
  }

  /// The same way to the chip that stores take, with a lock of this chip's own.
  func chip(pause: @escaping @Sendable (Int) async -> Void = { _ in }) -> TPMChip {
    TPMChip(tcti: tcti, lockFolder: folder.appendingPathComponent("lock"), pause: pause)
  }

  /// A store in the folder `name`.
  func store(_ name: String = "keys") throws -> TPMKeyStore {
    try TPMKeyStore(directory: folder.appendingPathComponent(name), chip: chip())
  }

  /// The objects and sessions in the chip's slots.
  func handles() async throws -> [UInt32] { try await chip().run { try $0.handles() } }

  /// How many wrong PINs lock the chip, and after how many seconds one is forgotten.
  func setLockout(after tries: UInt32, recovery: UInt32) async throws {
    try await chip().run { connection in
      try TPMFailure.check(
        "TPM2_DictionaryAttackParameters",
        Esys_DictionaryAttackParameters(
          connection.esys, ESYS_TR_RH_LOCKOUT, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, tries, recovery,
          1))
    }
  }

  /// What the firmware's "clear TPM" does.
  func clear() async throws {
    try await chip().run { connection in
      try TPMFailure.check(
        "TPM2_Clear",
        Esys_Clear(connection.esys, ESYS_TR_RH_LOCKOUT, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE))
    }
  }

  /// Gives the owner hierarchy a password.
  func setOwnerPassword() async throws {
    try await chip().run { connection in
      var password = TPM2B_AUTH(Array("secret".utf8))
      try TPMFailure.check(
        "TPM2_HierarchyChangeAuth",
        Esys_HierarchyChangeAuth(
          connection.esys, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &password))
    }
  }
}
