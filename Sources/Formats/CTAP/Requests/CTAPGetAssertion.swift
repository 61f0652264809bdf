package import CBOR

/// A request for a signature (CTAP 2.1 §6.2).
package struct CTAPGetAssertion: Sendable, Hashable {
  package let relyingPartyID: String
  package let clientDataHash: [UInt8]
  /// The ids of the allowed credentials. `nil` without a list: every discoverable credential will do.
  package let allowed: [[UInt8]]?
  /// The request to `hmac-secret`; `nil` without one.
  package let secret: CTAPSecretRequest?
  package let extensions: CBORMap
  package let options: CTAPOptions
  package let authorization: CTAPAuthorization?

  init(_ parameters: CTAPParameters) throws(CTAPStatus) {
    guard let id = try parameters.relyingPartyID(1) else { throw .missingParameter }
    relyingPartyID = id
    clientDataHash = try parameters.hash(2)
    allowed = try parameters.credentials(3)
    extensions = try parameters.optional(4, \.mapValue) ?? CBORMap()
    let secret = try CTAPParameters(extensions).optional("hmac-secret", \.mapValue)
    self.secret = if let secret { try CTAPSecretRequest(CTAPParameters(secret)) } else { nil }
    options = try parameters.options(5)
    authorization = try CTAPAuthorization(parameters, parameter: 6, version: 7)
  }
}

/// The request to `hmac-secret` at an assertion (§12.5).
package struct CTAPSecretRequest: Sendable, Hashable {
  package let keyAgreement: CTAPKeyAgreement
  package let encryptedSalts: [UInt8]
  package let authentication: [UInt8]
  /// The version of the PIN protocol; 1 when it was not given.
  package let version: Int

  init(_ parameters: CTAPParameters) throws(CTAPStatus) {
    keyAgreement = try CTAPKeyAgreement(parameters.required(1, { $0 }))
    encryptedSalts = try parameters.required(2, \.bytesValue)
    authentication = try parameters.required(3, \.bytesValue)
    version = try parameters.optional(4, \.intValue) ?? 1
  }
}
