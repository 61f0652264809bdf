import ArgumentParser
import DeviceKeys
import DeviceKeysPKCS11
import DeviceKeysTPM
import Foundation
import PingBinding
import PrivateFiles

/// Where a new key is made.
enum StoreChoice: String, ExpressibleByArgument, CaseIterable {
  /// In the TPM when there is one, else in the token when a module is named and the key has a PIN, else in encrypted files.
  case auto
  /// In the TPM or not at all.
  case tpm
  /// In a token that a PKCS#11 module reaches, or not at all.
  case pkcs11
  /// In encrypted files.
  case software
}

/// Which security chip and which token the commands that use keys talk to.
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

  /// This device's keys, in the chip, in tokens and in files; `choice` says where new ones are made.
  ///
  /// - Parameter folder: Where the home keeps what belongs to them: keys of another purpose have a folder of their own.
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
    // The chip's attestation key is the same for all of them.
    return try TPMKeyStore(
      directory: home.appending(path: folder), tcti: tcti ?? CurrentSettings.givenText("tcti"),
      attestationCertificates: home.appending(path: "keys/attestation.pem"),
      environment: Environment.variables)
  }
}
