import DeviceKeys
import DeviceKeysTPM
import Foundation
import PingFido
import PrivateFiles
import UserVerification
import WebAuthnAuthenticator

/// The stores of this device's passkeys.
struct PasskeyPlace {
  let keys: any DeviceKeyStore
  let records: CredentialStore
  /// The record of enrolled fingers that may replace a security key's PIN.
  var vault: AuthorizationVault? = nil

  private static let servedFolder = "security-key"
  /// The folder of the keys that `sealring passkey serve` has in the TPM.
  static let servedKeys = "\(servedFolder)/keys"

  /// The passkeys of this program, which its journeys use.
  static func own(_ chip: ChipOptions) throws -> PasskeyPlace {
    PasskeyPlace(keys: try chip.keyStore(), records: CredentialStore())
  }

  /// The passkeys that `sealring passkey serve` offers to other programs: in their own folder, in the TPM and in files, never in a token,
  /// whose PIN is not a security key's.
  static func served(_ chip: ChipOptions, _ choice: StoreChoice = .auto) throws -> PasskeyPlace {
    let home = ClientHome(directory: ClientHome.standard.directory.appending(path: servedFolder))
    let requirement: PreferredKeyStore.Requirement =
      switch choice {
      case .tpm: .hardware
      case .software: .software
      case .auto, .pkcs11: .hardwareIfPresent
      }
    let keys = PreferredKeyStore(
      hardware: try chip.chip(in: servedKeys), software: try SoftwareKeyStore(home: home),
      requirement: requirement)
    return PasskeyPlace(
      keys: keys, records: CredentialStore(home: home), vault: AuthorizationVault(home: home))
  }

  /// The kind of store with the private key of `key`; `missing` when there is none.
  func store(of key: WebAuthnKey) async throws -> String {
    do { return try await keys.kind(ofKey: key.keyTag).rawValue } catch DeviceKeyError.notFound {
      return "missing"
    }
  }
}
