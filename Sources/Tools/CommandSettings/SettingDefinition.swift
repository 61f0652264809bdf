/// The definition of a setting.
package struct SettingDefinition: Sendable, Hashable {
  /// The type of a setting's value.
  package enum Kind: String, Sendable {
    case text, number, flag
    /// Several texts.
    case list
  }

  /// The name in the file, with the heading before it: `server`, `serve.port`.
  package let name: String
  package let kind: Kind
  /// The purpose, in one sentence.
  package let help: String
  /// The default value; `nil` for none.
  package let standard: String?
  /// Whether a profile may contain the setting.
  package let isInProfiles: Bool

  package init(
    _ name: String, _ kind: Kind = .text, help: String, standard: String? = nil, isInProfiles: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    self.standard = standard
    self.isInProfiles = isInProfiles
  }

  /// The environment variable that sets it: `SEALRING_SERVE_PORT`.
  package var variable: String {
    "SEALRING_" + name.uppercased().replacing(".", with: "_").replacing("-", with: "_")
  }

  /// The setting's path in a file.
  package var path: [String] { name.split(separator: ".").map(String.init) }
}

extension SettingDefinition {
  /// The settings of all commands. The server's settings are the options of `sealring serve`.
  package static let client: [SettingDefinition] = [
    SettingDefinition(
      "server", help: "The server's base address.", standard: "http://127.0.0.1:8080/am", isInProfiles: true),
    SettingDefinition("realm", help: "The realm.", standard: "alpha", isInProfiles: true),
    SettingDefinition("user", help: "Your user name, for commands without --username.", isInProfiles: true),
    SettingDefinition(
      "application", help: "The application id that signed tokens carry as 'iss'.",
      standard: "com.sealring.cli", isInProfiles: true),
    SettingDefinition(
      "ca-file",
      help:
        "A PEM file: servers whose certificate is signed by an authority in it are accepted, and no others.",
      isInProfiles: true),
    SettingDefinition("profile", help: "The profile in use, where there is no --profile."),
    SettingDefinition(
      "tcti", help: "The TPM, as tpm2-tss names it: device, tabrmd, swtpm or mssim.",
      standard: "device:/dev/tpmrm0"),
    SettingDefinition(
      "pkcs11-module", help: "The PKCS#11 module of a smart card or other token: the library of its maker."),
    SettingDefinition(
      "pkcs11-token",
      help: "The label or serial number of the token for new keys, when the module finds several."),
    SettingDefinition(
      "admin-password-file",
      help: "A file with the administrator's password on its first line, readable by its owner only."),
    SettingDefinition(
      "backup.recipient",
      help: "The public key that `sealring backup` encrypts to, as `sealring backup keygen` prints it."),
    SettingDefinition(
      "utc", .flag, help: "Show times in UTC rather than in the local time zone.", standard: "false"),
  ]

  /// The settings that a profile may contain, named as in the profile.
  package static let profile = client.filter(\.isInProfiles)
}
