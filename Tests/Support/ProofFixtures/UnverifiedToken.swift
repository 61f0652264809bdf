internal import JOSE
package import StrictJSON

/// What a compact token says, whoever signed it.
package struct UnverifiedToken: Sendable {
  package let header: JSONObject
  package let claims: JSONObject

  package init(_ compact: String) throws {
    let token = try UnverifiedJWS(compact: compact)
    header = token.header.json
    claims = try JSONObject(parsing: token.payload)
  }
}
