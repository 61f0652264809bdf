package import CBOR

/// A request for a new credential (CTAP 2.1 §6.1).
package struct CTAPMakeCredential: Sendable, Hashable {
  package let clientDataHash: [UInt8]
  package let relyingPartyID: String
  package let relyingPartyName: String
  package let user: CTAPUser
  /// COSE numbers of the type `public-key` only.
  package let algorithms: [Int]
  package let excluded: [[UInt8]]
  package let extensions: CBORMap
  package let options: CTAPOptions
  package let authorization: CTAPAuthorization?
  package let wantsEnterpriseAttestation: Bool

  init(_ parameters: CTAPParameters) throws(CTAPStatus) {
    clientDataHash = try parameters.hash(1)
    let party = CTAPParameters(try parameters.required(2, \.mapValue))
    guard let id = try party.relyingPartyID("id") else { throw .missingParameter }
    relyingPartyID = id
    relyingPartyName = CTAPUser.short(try party.optional("name", \.textValue) ?? id)
    user = try CTAPUser(CTAPParameters(try parameters.required(3, \.mapValue)))
    var algorithms: [Int] = []
    for item in try parameters.required(4, \.arrayValue) {
      guard let map = item.mapValue else { throw .unexpectedType }
      let kind = CTAPParameters(map)
      let algorithm = try kind.required("alg", \.intValue)
      if try kind.required("type", \.textValue) == "public-key" { algorithms.append(algorithm) }
    }
    self.algorithms = algorithms
    excluded = try parameters.credentials(5) ?? []
    extensions = try parameters.optional(6, \.mapValue) ?? CBORMap()
    options = try parameters.options(7)
    authorization = try CTAPAuthorization(parameters, parameter: 8, version: 9)
    wantsEnterpriseAttestation = try parameters.optional(0x0A, \.intValue) != nil
  }
}

/// An account as the relying party names it. Names are cut to 64 bytes, as a security key may (§6.1.2 step 17).
package struct CTAPUser: Sendable, Hashable {
  /// 1 to 64 bytes.
  package let id: [UInt8]
  package let name: String
  package let displayName: String

  static let maximumNameBytes = 64

  init(_ parameters: CTAPParameters) throws(CTAPStatus) {
    id = try parameters.required("id", \.bytesValue)
    guard (1...64).contains(id.count) else { throw .invalidLength }
    name = Self.short(try parameters.optional("name", \.textValue) ?? "")
    displayName = Self.short(try parameters.optional("displayName", \.textValue) ?? "")
  }

  /// The beginning of a name, as long as a security key stores it.
  package static func short(_ text: String) -> String {
    var (short, count) = ("", 0)
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      guard count <= maximumNameBytes else { break }
      short.unicodeScalars.append(scalar)
    }
    return short
  }
}
