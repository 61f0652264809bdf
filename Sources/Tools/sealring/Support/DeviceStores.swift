import ArgumentParser
import DeviceKeys
import DeviceKeysPKCS11
import DeviceKeysTPM
import Foundation
import PingBinding
import PrivateFiles

/// The place for new keys.
enum StoreChoice: String, ExpressibleByArgument, CaseIterable {
  /// The TPM if there is one, else the token if a module is named and the key has a PIN, else encrypted files.
  case auto
  /// The TPM only.
  case tpm
  /// A token that a PKCS#11 module reaches, only.
  case pkcs11
  /// Encrypted files.
  case software
}

/// The security chip and the token for commands that use keys.
struct ChipOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The TPM, as tpm2-tss names it. Default: $SEALRING_TCTI, else device:/dev/tpmrm0.", valueName: "tcti"))
  var tcti: String?

  @Option(
    help: ArgumentHelp(
      "The PKCS#11 module of a smart card or other token: the library of its maker. Default: $SEALRING_PKCS11_MODULE.",
      valueName: "path"))
  var module: String?

  @Option(
    help: ArgumentHelp(
      "The label or serial number of the token for new keys, when there are several. Default: $SEALRING_PKCS11_TOKEN.",
      valueName: "name"))
  var token: String?

  /// This device's keys, in the chip, in tokens and in files; `choice` is the place for new ones.
  ///
  /// - Parameter folder: The folder in the client's home for their data; keys of each purpose have their own.
  func keyStore(_ choice: StoreChoice = .auto, in folder: String = "keys") throws -> any DeviceKeyStore {
    let (chip, tokens) = (try self.chip(in: folder), try self.tokens(in: folder))
    let files = try SoftwareKeyStore(
      directory: ClientHome.standard.directory.appending(path: folder), scrypt: SoftwareKeyStore.costInHome)
    guard choice != .pkcs11 || tokens.makesKeysInTokens else {
      throw ValidationError(
        "Name the token's PKCS#11 module with --module, or in the setting pkcs11-module. docs/pkcs11.md lists some."
      )
    }
    // Existing keys are found wherever they are.
    func chain(
      _ first: any DeviceKeyStore, _ one: PreferredKeyStore.Requirement, _ second: any DeviceKeyStore,
      _ two: PreferredKeyStore.Requirement
    ) -> any DeviceKeyStore {
      PreferredKeyStore(
        hardware: first, software: PreferredKeyStore(hardware: second, software: files, requirement: two),
        requirement: one)
    }
    return switch choice {
    case .auto: chain(chip, .hardwareIfPresent, tokens, .hardwareIfPresent)
    case .tpm: chain(chip, .hardware, tokens, .software)
    case .pkcs11: chain(tokens, .hardware, chip, .software)
    case .software: chain(chip, .software, tokens, .software)
    }
  }

  /// The keys in tokens.
  func tokens(in folder: String = "keys") throws -> PKCS11KeyStore {
    try PKCS11KeyStore(
      directory: ClientHome.standard.directory.appending(path: folder),
      module: module ?? CurrentSettings.givenText("pkcs11-module"),
      token: token ?? CurrentSettings.givenText("pkcs11-token"))
  }

  /// The keys in the chip.
  func chip(in folder: String = "keys") throws -> TPMKeyStore {
    let home = ClientHome.standard.directory
    // All keys share the chip's attestation key.
    return try TPMKeyStore(
      directory: home.appending(path: folder), tcti: tcti ?? CurrentSettings.givenText("tcti"),
      attestationCertificates: home.appending(path: "keys/attestation.pem"),
      environment: Environment.variables)
  }
}
