/// What keeps a key. The raw value is shown to people.
public struct KeyStoreKind: RawRepresentable, Codable, Sendable, Hashable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// Encrypted files.
  public static let software = KeyStoreKind(rawValue: "software")

  /// A TPM 2.0 chip.
  public static let tpm = KeyStoreKind(rawValue: "tpm")

  /// The memory of the process.
  public static let memory = KeyStoreKind(rawValue: "memory")
}
