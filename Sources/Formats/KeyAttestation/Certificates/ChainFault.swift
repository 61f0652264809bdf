internal import Bytes

/// Why a chain of certificates does not lead to a configured root (``AttestationFailure/Check/chainUntrusted``): one cause, and the
/// certificate at which it was found.
public struct ChainFault: Sendable, Hashable, CustomStringConvertible {
  /// The causes, each with its own name. More may be added, so compare with the known ones.
  public struct Cause: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    private init(_ name: String) { description = name }

    /// A certificate has expired.
    public static let expired = Cause("expired")
    /// A certificate is not valid yet.
    public static let notYetValid = Cause("notYetValid")
    /// No configured root issued the last certificate: none has the issuer's name, or the one that has it did not sign.
    public static let unknownIssuer = Cause("unknownIssuer")
    /// A certificate was not signed by the key of the next one.
    public static let invalidSignature = Cause("invalidSignature")
    /// A certificate is signed with SHA-1.
    public static let weakSignature = Cause("weakSignature")
    /// A critical extension that is not handled; the detail has its OID.
    public static let criticalExtension = Cause("criticalExtension")
    /// Certificate policies that are critical and cannot be read (RFC 5280 §4.2.1.4).
    public static let policiesUnreadable = Cause("policiesUnreadable")
    /// An issuer is not an authority (basic constraints).
    public static let notAnAuthority = Cause("notAnAuthority")
    /// More authorities stand below an issuer than it allows (path length).
    public static let pathTooLong = Cause("pathTooLong")
    /// An issuer's key may not sign certificates (key usage), or not for the leaf's use (critical extended key usage).
    public static let keyUsage = Cause("keyUsage")
    /// A certificate's version does not fit what it is used for.
    public static let version = Cause("version")
    /// Another rule of RFC 5280, such as name constraints; the detail says which.
    public static let constraint = Cause("constraint")
    /// The chain is only a configured root, with nothing below it.
    public static let leafIsRoot = Cause("leafIsRoot")
  }

  static let leafIsRoot = ChainFault(.leafIsRoot, at: 0, "is itself a configured root")

  public let cause: Cause

  /// The certificate's position: 0 for the leaf; a root that was not sent follows the last one that was. `nil` when the fault is not a
  /// single certificate's.
  public let place: Int?

  /// A sentence for the operator. It may contain names from certificates: shortened, and without control characters.
  public let detail: String

  init(_ cause: Cause, at place: Int?, _ detail: String) {
    self.cause = cause
    self.place = place
    let scalars = detail.prefix(512).unicodeScalars.map { $0.isFitForName ? $0 : "\u{FFFD}" }
    self.detail = String(String.UnicodeScalarView(scalars))
  }

  /// The text that failures show: the certificate and the detail.
  public var description: String { (place.map { "certificate \($0) " } ?? "the chain ") + detail }
}
