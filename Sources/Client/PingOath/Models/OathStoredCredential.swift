/// A credential with its secret, as an ``OathStorage`` keeps it.
///
/// The JSON of an ``OathCredential`` has no secret, so that an app can pass it on. A storage of the app's own writes this form
/// instead, encrypted: anyone who reads it can make the codes.
public struct OathStoredCredential: Codable, Sendable {
  public var credential: OathCredential

  public init(_ credential: OathCredential) { self.credential = credential }

  /// Reads what ``encode(to:)`` has written. Unknown members are ignored.
  ///
  /// - Throws: `DecodingError`, also when there is no secret.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: OathCredential.StoredKeys.self)
    _ = try values.decode(OathSecretKey.self, forKey: .secretKey)
    credential = try OathCredential(from: decoder)
  }

  /// Writes the credential with its secret.
  public func encode(to encoder: any Encoder) throws {
    try credential.encode(to: encoder)
    try credential.encodeStored(to: encoder)
  }
}

extension OathStoredCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The credential without its secret.
  public var description: String { "OathStoredCredential(\(credential))" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["credential": credential]) }
}
