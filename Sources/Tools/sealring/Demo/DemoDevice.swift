import ArgumentParser
import AttestationAuthority
import Crypto
import DeviceKeys
import DeviceKeysTPM
import Foundation
import KeyAttestation
import SoftwareTPM

/// The demo's device and its key store.
struct DemoDevice: Sendable {
  let keyStore: any DeviceKeyStore
  /// The journey that binds the device.
  let journey: String
  /// The roots that the server trusts for TPM attestation; empty for keys in files.
  let roots: TrustAnchors
  /// The demo's remarks about the device, one per line.
  let remarks: [String]

  /// A device whose keys are in encrypted files.
  static func software(in folder: URL) throws -> DemoDevice {
    DemoDevice(
      keyStore: try SoftwareKeyStore(directory: folder), journey: "BindDevice", roots: TrustAnchors(),
      remarks: [])
  }

  /// Runs `body` with a device whose keys are in a TPM, certified by an authority of the demo: the TPM in `tcti` or `SEALRING_TCTI`, else
  /// the machine's, else a software TPM.
  static func tpm(
    in folder: URL, authority: URL, tcti: String?, _ body: (DemoDevice) async throws -> Void
  ) async throws {
    let named = tcti ?? Environment.variables[TPMKeyStore.environmentVariable]
    let store = try TPMKeyStore(directory: folder, tcti: tcti)
    switch (await store.availability(), named) {
    case (.available, let name):
      try await body(
        certified(
          store, by: authority, chip: "the chip \(name ?? TPMKeyStore.standardTCTI)",
          endorsementAuthorities: []))
    case (.unavailable(let reason), _?), (.absent(let reason), _?):
      throw CommandFailure(reason)
    case (.unavailable, nil), (.absent, nil):
      // The state is kept beside the keys that the TPM made.
      try await SoftwareTPM.run(state: folder.appending(path: "swtpm")) { chip in
        let store = try TPMKeyStore(directory: folder, tcti: chip.tcti)
        try await body(
          certified(
            store, by: authority,
            chip: "a chip in software (swtpm), since this machine has none for this user",
            endorsementAuthorities: chip.endorsementAuthorities))
      }
    }
  }

  /// Makes the chip prove to an authority that its attestation key is in it.
  private static func certified(
    _ store: TPMKeyStore, by folder: URL, chip: String, endorsementAuthorities: [URL]
  ) async throws -> DemoDevice {
    let authority =
      try FileManager.default.fileExists(atPath: folder.path(percentEncoded: false))
      ? AttestationAuthority.open(directory: folder)
      : AttestationAuthority.create(directory: folder, name: "Attestation authority of the demo")
    let identity = try await store.attestationIdentity()
    let makers = try TrustAnchors(try endorsementAuthorities.map { Array(try Data(contentsOf: $0)) })
    let issued = try await authority.issue(
      for: AttestationKeyRequest(
        endorsementCertificate: identity.endorsementCertificate, endorsementKey: identity.endorsementKey,
        attestationKey: identity.attestationKey),
      // The maker of a real chip is unknown here; an operator would name it.
      trusting: makers.isEmpty ? .anyKey : .certified(roots: makers, revoked: RevokedSerialNumbers()))
    let secret = try await store.activateCredential(
      credentialBlob: issued.credential.credentialBlob, encryptedSecret: issued.credential.encryptedSecret)
    try await store.installAttestationCertificates(
      try issued.credential.certificates(
        secret: SymmetricKey(data: secret), attestationKey: identity.attestationKey))
    let maker = issued.endorsementRoot.map { "its maker's certificate leads to \($0.subject)" }
    return DemoDevice(
      keyStore: store, journey: "BindDeviceAttested",
      roots: try TrustAnchors([Array(try authority.rootPEM.utf8)]),
      remarks: [
        "\(chip);", (maker ?? "its maker's certificate is not checked in this demo") + ";",
        "it proved to an authority of the demo's own that its attestation key lives in it",
      ])
  }
}
