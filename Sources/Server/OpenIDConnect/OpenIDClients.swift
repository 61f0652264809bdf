internal import Bytes
internal import Crypto
internal import JOSE
internal import StrictJSON
internal import WebAddresses

/// The registered clients and what the provider is told beside them: one JSON file.
///
/// A file, and not a table with a REST interface: who may sign people in where is the operator's to decide and to review, and it
/// goes through their version control like the journeys.
package struct OpenIDClients: Sendable, Hashable {
  private var byID: [String: [OpenIDClient]] = [:]

  /// What each `acr` value stands for.
  package private(set) var contexts: [String: AuthenticationContext] = [:]

  /// Whether proofs need a nonce from this server (RFC 9449 §8).
  package private(set) var requiresDPoPNonce = false

  package init() {}

  /// What is wrong with the file, and where.
  package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// The client of that id in the realm, in any case of the realm.
  package func client(_ id: String, realm: String) -> OpenIDClient? {
    byID[id]?.first { $0.realm.lowercased() == realm.lowercased() }
  }

  package var all: [OpenIDClient] {
    byID.values.flatMap(\.self).sorted { ($0.realm, $0.id) < ($1.realm, $1.id) }
  }

  /// What is taken and is better done otherwise, with the client and the member.
  package var warnings: [String] { all.flatMap(\.warnings) }

  /// Most clients of a file.
  private static let maximumCount = 10_000

  private static let members = ["acr_journeys", "require_dpop_nonce", "clients"]

  /// Reads a file's bytes.
  ///
  /// - Throws: ``Fault`` that names the client and the member; an unknown member is one too, because a misspelt restriction restricts
  ///   nothing.
  package init(parsing bytes: [UInt8]) throws(Fault) {
    let json: JSONObject
    do throws(JSONError) {
      json = try JSONObject(parsing: bytes, limits: JSONLimits(maximumBytes: 16 << 20, maximumDepth: 16))
    } catch { throw Fault(description: "The file is not a JSON object: \(error).") }
    if let name = json.names.first(where: { !Self.members.contains($0) }) {
      throw Fault(
        description: "\(name) is not a member of a file of clients: \(Self.members.joined(separator: ", ")).")
    }
    let reader = ClientReader(json: json, subject: "The file")
    contexts = try reader.contexts("acr_journeys")
    requiresDPoPNonce = try reader.flag("require_dpop_nonce") ?? false
    guard let list = json["clients"]?.arrayValue, list.count <= Self.maximumCount else {
      throw Fault(description: "The file has no list clients of at most \(Self.maximumCount) clients.")
    }
    for (index, value) in list.enumerated() {
      guard let object = value.objectValue else {
        throw Fault(description: "Client \(index + 1) is not an object.")
      }
      let client = try OpenIDClient(json: object, subject: "Client \(index + 1)")
      guard self.client(client.id, realm: client.realm) == nil else {
        throw Fault(description: "Client \(client.id) stands in the file twice for realm \(client.realm).")
      }
      byID[client.id, default: []].append(client)
    }
  }
}

extension OpenIDClient {
  private static let members = [
    "client_id", "realm", "client_name", "token_endpoint_auth_method", "client_secret_sha256", "jwks",
    "redirect_uris", "post_logout_redirect_uris", "backchannel_logout_uri", "grant_types", "scope",
    "audience", "access_token_format", "access_token_lifetime", "id_token_lifetime",
    "refresh_token_lifetime", "dpop_bound_access_tokens", "require_pushed_authorization_requests",
    "require_consent", "claims_in_id_token", "acr_journeys",
  ]

  fileprivate init(json: JSONObject, subject: String) throws(OpenIDClients.Fault) {
    var reader = ClientReader(json: json, subject: subject)
    let id = try reader.required("client_id")
    guard (1...128).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3A })
    else { throw reader.fault("client_id", "1 to 128 printable ASCII characters without spaces and colons") }
    reader.subject = "Client \(id)"
    if let name = json.names.first(where: { !Self.members.contains($0) }) {
      throw OpenIDClients.Fault(description: "Client \(id): \(name) is not a member of a client.")
    }
    let realm = try reader.text("realm") ?? "alpha"
    let method = try reader.text("token_endpoint_auth_method") ?? Authentication.clientSecretBasic.rawValue
    guard let authentication = Authentication(rawValue: method) else {
      throw reader.fault("token_endpoint_auth_method", "none, client_secret_basic or private_key_jwt")
    }
    self.init(
      id: id, realm: realm, name: try reader.text("client_name") ?? id, authentication: authentication)
    try readProof(reader)
    try readAddresses(reader)
    if let names = try reader.list("grant_types") {
      grants = []
      for name in names {
        guard let grant = Grant(rawValue: name) else {
          throw reader.fault(
            "grant_types", "a list of \(Grant.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        grants.insert(grant)
      }
    }
    if let scope = try reader.text("scope") { scopes = Set(scope.split(separator: " ").map(String.init)) }
    audience = try reader.list("audience") ?? []
    if let format = try reader.text("access_token_format") {
      guard let known = AccessTokenFormat(rawValue: format) else {
        throw reader.fault("access_token_format", "jwt or opaque")
      }
      accessTokenFormat = known
    }
    accessTokenLifetime = try reader.seconds("access_token_lifetime", 10...86_400) ?? accessTokenLifetime
    idTokenLifetime = try reader.seconds("id_token_lifetime", 10...86_400) ?? idTokenLifetime
    refreshTokenLifetime =
      try reader.seconds("refresh_token_lifetime", 60...366 * 86_400) ?? refreshTokenLifetime
    requiresDPoP = try reader.flag("dpop_bound_access_tokens") ?? false
    requiresPushedRequests = try reader.flag("require_pushed_authorization_requests") ?? false
    requiresConsent = try reader.flag("require_consent") ?? true
    putsClaimsInIDToken = try reader.flag("claims_in_id_token") ?? false
    contexts = try reader.contexts("acr_journeys")
    if grants.contains(.ciba), isPublic {
      throw reader.fault(
        "grant_types", "without CIBA for a public client: whoever knows its id could ask people")
    }
    if grants.contains(.clientCredentials), isPublic {
      throw reader.fault("grant_types", "without client_credentials for a public client, which has none")
    }
    if grants.contains(.authorizationCode), redirectURIs.isEmpty {
      throw reader.fault("redirect_uris", "a list of at least one address")
    }
  }

  /// What is taken and is better done otherwise, with the client and the member.
  package var warnings: [String] {
    [("redirect_uris", redirectURIs), ("post_logout_redirect_uris", postLogoutURIs)].flatMap { name, uris in
      Set(uris.compactMap(RedirectAddress.schemeWithoutDot)).sorted().map { scheme in
        "Client \(id): \(name): the scheme \(scheme) has no dot, so another app on the device may use the same one. "
          + "Use a reversed domain name such as com.example.app (RFC 8252 §7.1), or an https address."
      }
    }
  }

  private mutating func readProof(_ reader: ClientReader) throws(OpenIDClients.Fault) {
    if let hash = try reader.text("client_secret_sha256") {
      guard let bytes = Base64URL.decode(hash), bytes.count == SHA256.byteCount else {
        throw reader.fault("client_secret_sha256", "the SHA-256 of the secret in base64url")
      }
      secretHash = bytes
    }
    if let list = reader.json["jwks"] {
      guard let given = list["keys"]?.arrayValue, (1...20).contains(given.count) else {
        throw reader.fault("jwks", "an object with 1 to 20 keys")
      }
      for value in given {
        do throws(JOSEError) { keys.append(try JWK(json: value.objectValue ?? JSONObject())) } catch {
          throw OpenIDClients.Fault(description: "Client \(id): a key of jwks is refused: \(error.reason)")
        }
      }
    }
    switch authentication {
    case .none:
      guard secretHash == nil, keys.isEmpty else {
        throw reader.fault(
          "token_endpoint_auth_method", "another than none for a client with a secret or keys")
      }
    case .clientSecretBasic:
      guard secretHash != nil else { throw reader.fault("client_secret_sha256", "there") }
    case .privateKeyJWT: guard !keys.isEmpty else { throw reader.fault("jwks", "there") }
    }
  }

  private mutating func readAddresses(_ reader: ClientReader) throws(OpenIDClients.Fault) {
    redirectURIs = try reader.list("redirect_uris") ?? []
    postLogoutURIs = try reader.list("post_logout_redirect_uris") ?? []
    for name in ["redirect_uris", "post_logout_redirect_uris"] {
      for uri in try reader.list(name) ?? [] where !RedirectAddress.isAcceptable(uri) {
        throw reader.fault(name, "\(RedirectAddress.rule): \(uri)")
      }
    }
    if let uri = try reader.text("backchannel_logout_uri") {
      guard WebOrigin(address: uri)?.isConfidential == true, !uri.contains("#") else {
        throw reader.fault(
          "backchannel_logout_uri", "an https address, or one of this machine, without a fragment")
      }
      backchannelLogoutURI = uri
    }
  }
}

/// Reads members and says what is wrong with them.
private struct ClientReader {
  let json: JSONObject
  var subject: String

  func fault(_ name: String, _ expected: String) -> OpenIDClients.Fault {
    OpenIDClients.Fault(description: "\(subject): \(name) must be \(expected).")
  }

  func text(_ name: String) throws(OpenIDClients.Fault) -> String? {
    guard let value = json[name] else { return nil }
    guard let text = value.stringValue, !text.isEmpty, text.utf8.count <= 8192 else {
      throw fault(name, "a text")
    }
    return text
  }

  func required(_ name: String) throws(OpenIDClients.Fault) -> String {
    guard let text = try text(name) else { throw fault(name, "there") }
    return text
  }

  func flag(_ name: String) throws(OpenIDClients.Fault) -> Bool? {
    guard let value = json[name] else { return nil }
    guard let flag = value.boolValue else { throw fault(name, "true or false") }
    return flag
  }

  func seconds(_ name: String, _ range: ClosedRange<Int>) throws(OpenIDClients.Fault) -> Int? {
    guard let value = json[name] else { return nil }
    guard let number = value.integerValue.flatMap({ Int(exactly: $0) }), range.contains(number) else {
      throw fault(name, "from \(range.lowerBound) to \(range.upperBound) seconds")
    }
    return number
  }

  func list(_ name: String) throws(OpenIDClients.Fault) -> [String]? {
    guard let value = json[name] else { return nil }
    let texts = value.arrayValue?.compactMap(\.stringValue)
    guard let texts, texts.count == value.arrayValue?.count, texts.count <= 100 else {
      throw fault(name, "a list of at most 100 texts")
    }
    return texts
  }

  func contexts(_ name: String) throws(OpenIDClients.Fault) -> [String: AuthenticationContext] {
    guard let value = json[name] else { return [:] }
    let form =
      "an object whose members are journeys' names, or objects such as {\"journey\": \"StepUp\", \"level\": 2}"
    guard let object = value.objectValue else { throw fault(name, form) }
    var contexts: [String: AuthenticationContext] = [:]
    for (key, value) in object {
      guard let context = AuthenticationContext(json: value) else { throw fault(name, form) }
      contexts[key] = context
    }
    return contexts
  }
}
