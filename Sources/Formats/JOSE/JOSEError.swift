/// Why a token or key was refused or could not be made.
public struct JOSEError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault. More codes may be added, so compare with the known ones.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// The token or a part of it does not have the form of RFC 7515.
    public static let malformed = Code("malformed")
    /// Longer than the limits allow.
    public static let tooLarge = Code("tooLarge")
    /// The algorithm is unknown, `none`, not among the allowed ones, or does not fit the key.
    public static let unsupportedAlgorithm = Code("unsupportedAlgorithm")
    /// The header demands an extension (`crit`) that is not understood (RFC 7515 §4.1.11).
    public static let unsupportedExtension = Code("unsupportedExtension")
    /// The key is malformed, too weak, or carries private members.
    public static let invalidKey = Code("invalidKey")
    /// The signature does not verify.
    public static let invalidSignature = Code("invalidSignature")

    public var description: String { name }
  }

  public let code: Code

  /// One sentence for the operator. Never contains token or key bytes.
  public let reason: String

  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  public var description: String { "\(code): \(reason)" }
}
