import CTSS2
import Foundation
import Locking
import SoftwareTPM
import Testing

@testable import DeviceKeysTPM

/// All tests that use a chip, one after the other: two processors are not enough for more chips at once.
@Suite(.serialized) struct ChipTests {}

/// A chip of a test's own, and a store on it.
struct Bench: Sendable {
  let tpm: SoftwareTPM
  let store: TPMKeyStore

  /// Runs `body` with a new chip.
  ///
  /// - Parameter certificates: Whether a local authority has certified its endorsement keys.
  static func run<Result: Sendable>(
    certificates: Bool = false, clock: @escaping @Sendable () -> Date = { Date() },
    _ body: (Bench) async throws -> Result
  ) async throws -> Result {
    try await SoftwareTPM.run(certificates: certificates) { tpm in
      try await body(Bench(tpm: tpm, store: try tpm.store(clock: clock)))
    }
  }

  var keyFile: URL {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
      return store.folder.appendingPathComponent(try #require(names.first { $0.hasSuffix(".tpmkey") }))
    }
  }
}

extension SoftwareTPM {
  /// The same way to the chip that stores take, with a lock of this chip's own.
  func chip(pause: @escaping @Sendable (Int) async -> Void = { _ in }) -> TPMChip {
    TPMChip(tcti: tcti, lockFolder: state.appendingPathComponent("lock"), pause: pause)
  }

  /// A store in the folder `name`.
  func store(
    _ name: String = "keys", clock: @escaping @Sendable () -> Date = { Date() }
  ) throws -> TPMKeyStore {
    try TPMKeyStore(directory: state.appendingPathComponent(name), chip: chip(), clock: clock)
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

  /// Forgets all wrong PINs.
  func resetLockout() async throws {
    try await chip().run { connection in
      try TPMFailure.check(
        "TPM2_DictionaryAttackLockReset",
        Esys_DictionaryAttackLockReset(
          connection.esys, ESYS_TR_RH_LOCKOUT, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE))
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

  /// Gives a hierarchy a password.
  func setPassword(of hierarchy: ESYS_TR) async throws {
    try await chip().run { connection in
      var password = TPM2B_AUTH(Array("secret".utf8))
      try TPMFailure.check(
        "TPM2_HierarchyChangeAuth",
        Esys_HierarchyChangeAuth(
          connection.esys, hierarchy, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &password))
    }
  }
}

/// A time that tests set.
final class Watch: Sendable {
  private let time = Locked(Date(timeIntervalSince1970: 1_767_225_600))
  var now: Date { time.withLock { $0 } }
  func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}
