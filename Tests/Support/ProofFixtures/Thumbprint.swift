package import JOSE
package import StrictJSON

/// The name of a key, whatever its id (RFC 7638).
package enum Thumbprint {
  package static func of(_ key: JWK) -> String { key.thumbprint }
  package static func of(_ jwk: JSONObject) throws -> String { try JWK(json: jwk).thumbprint }
}
