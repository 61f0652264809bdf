internal import StrictJSON

/// Bounds on tokens from outside.
public struct JWSLimits: Sendable, Hashable {
  /// Longest accepted token in bytes.
  public var maximumBytes: Int

  /// Deepest nesting in header and claims.
  public var maximumDepth: Int

  public init(maximumBytes: Int = 16 << 10, maximumDepth: Int = 16) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }

  /// 16 KiB.
  public static let standard = JWSLimits()

  /// 128 KiB, for headers that carry a certificate chain.
  public static let withCertificates = JWSLimits(maximumBytes: 128 << 10)

  var json: JSONLimits { JSONLimits(maximumBytes: maximumBytes, maximumDepth: maximumDepth) }
}
