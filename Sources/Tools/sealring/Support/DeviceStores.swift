import ArgumentParser
import DeviceKeys
import DeviceKeysTPM
import Foundation
import PingBinding
import PrivateFiles

/// Where a new key is made.
enum StoreChoice: String, ExpressibleByArgument, CaseIterable {
  /// In the TPM when there is one, else in encrypted files.
  case auto
  /// In the TPM or not at all.
  case tpm
  /// In encrypted files.
  case software
}

/// Which security chip the commands that use keys talk to.
struct ChipOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The TPM, as tpm2-tss names it. Default: $SEALRING_TCTI, else device:/dev/tpmrm0.", valueName: "tcti"))
  var tcti: String?

  /// This device's keys, in the chip and in files; `choice` says where new ones are made.
  func keyStore(_ choice: StoreChoice = .auto) throws -> any DeviceKeyStore {
    let requirement: PreferredKeyStore.Requirement =
      switch choice {
      case .auto: .hardwareIfPresent
      case .tpm: .hardware
      case .software: .software
      }
    return PreferredKeyStore(
      hardware: try chip(), software: try SoftwareKeyStore(), requirement: requirement)
  }

  /// The keys in the chip.
  func chip() throws -> TPMKeyStore {
    try TPMKeyStore(
      directory: ClientHome.standard.directory.appending(path: "keys"),
      tcti: tcti ?? CurrentSettings.givenText("tcti"), environment: Environment.variables)
  }
}
