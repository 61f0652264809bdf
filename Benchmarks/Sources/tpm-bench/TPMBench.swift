import BenchmarkReport
import Crypto
import CryptoExtras
import DeviceKeys
import DeviceKeysTPM
import Foundation
import JOSE
import SoftwareTPM

/// Key stores beside what they cannot be faster than.
///
/// A signature by a key of the TPM store, opened once as an app does for one transaction, beside the bare commands; opening a
/// key of the software store with a PIN beside the one scrypt that this takes.
@main
struct TPMBench {
  static func main() async throws {
    try await signatures()
    try await opening()
  }

  private static func signatures() async throws {
    let input = [UInt8](repeating: UInt8(ascii: "p"), count: 200)
    try await SoftwareTPM.run(certificates: false) { tpm in
      let store = try TPMKeyStore(
        directory: tpm.state.appendingPathComponent("keys"), tcti: tpm.tcti)
      let pin = KeyUnlock.pin(PIN("4711"))
      _ = try await store.createKey(tag: "bench", protection: .applicationPIN, unlock: pin)
      let key = try await store.openKey(tag: "bench", unlock: pin)
      let bare = try BareTPM(tcti: tpm.tcti)
      let signing = try await Comparison.measure(
        turns: 20, runs: 4,
        base: { try bare.sign(input) },
        subject: { _ = try await key.signature(for: input) })
      signing.report(base: "tpm-bare-sign", subject: "tpm-store-sign", ratio: "tpm-store-sign-of-bare")
      // The store connects by a way of its own. The stricter ratio gives the bare side its connection for nothing.
      let connecting = try await Comparison.measure(
        turns: 20, runs: 4, base: { try bare.connect() }, subject: { try bare.connect() })
      print(Measurement("tpm-bare-connect", connecting.baseMicroseconds, "us").line)
      let commands = signing.baseMicroseconds - connecting.baseMicroseconds
      print(
        Measurement(
          "tpm-store-sign-of-bare-commands", commands / signing.subjectMicroseconds, "ratio"
        ).line)
    }
  }

  private static func opening() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SoftwareKeyStore(directory: folder)
    let pin = KeyUnlock.pin(PIN("4711"))
    _ = try await store.createKey(tag: "bench", protection: .applicationPIN, unlock: pin)
    let cost = ScryptCost.standard
    let salt = [UInt8](repeating: 1, count: 16)
    try await Comparison.measure(
      rounds: 9, turns: 5, runs: 1,
      base: {
        _ = try KDF.Scrypt.deriveKey(
          from: Array("4711".utf8), salt: salt, outputByteCount: 32, rounds: cost.rounds,
          blockSize: cost.blockSize, parallelism: cost.parallelism)
      },
      subject: { _ = try await store.openKey(tag: "bench", unlock: pin) }
    ).report(base: "scrypt", subject: "software-store-open", ratio: "software-store-open-of-scrypt")
  }
}
