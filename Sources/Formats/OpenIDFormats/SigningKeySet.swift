public import JOSE
internal import StrictJSON

/// The public keys with which a provider signs (JWK Set, RFC 7517 §5).
public struct SigningKeySet: Sendable, Hashable {
  public let keys: [JWK]

  /// The largest set that is read, in bytes and in keys.
  public static let maximumBytes = 256 << 10
  public static let maximumKeys = 64

  /// A set of these keys.
  public init(_ keys: [JWK]) { self.keys = keys }

  /// Reads a set. Unusable keys are skipped (§5), such as those for encryption, of another type, or with private members.
  ///
  /// - Throws: ``OpenIDError/Code/malformed`` when it is not a set, or too large.
  public init(parsing document: some Sequence<UInt8>) throws(OpenIDError) {
    let json = try JSONObject(
      parsingAnswer: document, limit: Self.maximumBytes, orFail: "The provider's keys are not a JSON object")
    guard let members = json["keys"]?.arrayValue, members.count <= Self.maximumKeys else {
      throw OpenIDError(.malformed, "The provider's keys are not a list of up to \(Self.maximumKeys).")
    }
    var keys: [JWK] = []
    for case let member? in members.map(\.objectValue) {
      do throws(JOSEError) { keys.append(try JWK(json: member)) } catch { continue }
    }
    self.keys = keys
  }

  /// The key that must have signed a token with `header`: the one of its `kid`; without one, the only one that fits.
  public func key(for header: JWSHeader) -> JWK? {
    let fitting = keys.filter { $0.fits(header.algorithm) }
    guard let id = header.keyID else { return fitting.count == 1 ? fitting[0] : nil }
    return fitting.first { $0.keyID?.hasSameBytes(as: id) == true }
  }
}
