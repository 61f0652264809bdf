internal import Bytes
internal import Crypto
internal import JOSE
package import StrictJSON
internal import WebAddresses

/// The registered clients and the provider's settings, in one JSON file.
///
/// Clients are in a file, not in a table with a REST interface: the operator decides and reviews who may sign people in where, and the file
/// goes through version control like the journeys.
package struct OpenIDClients: Sendable, Hashable {
  private var byID: [String: [OpenIDClient]] = [:]

  /// What each `acr` value stands for.
  package private(set) var contexts: [String: AuthenticationContext] = [:]

  /// Whether proofs need a nonce from this server (RFC 9449 §8).
  package private(set) var requiresDPoPNonce = false

  package init() {}

  /// The client of that id in the realm, whose name may be in any case.
  package func client(_ id: String, realm: String) -> OpenIDClient? {
    byID[id]?.first { $0.realm.lowercased() == realm.lowercased() }
  }

  package var all: [OpenIDClient] {
    byID.values.flatMap(\.self).sorted { ($0.realm, $0.id) < ($1.realm, $1.id) }
  }

  /// The clients of a realm, whose name may be in any case.
  package func all(realm: String) -> [OpenIDClient] {
    all.filter { $0.realm.lowercased() == realm.lowercased() }
  }

  /// The algorithms that may sign a realm's ID tokens: ES256, and those that its clients are registered for.
  package func signingAlgorithms(realm: String) -> [OpenIDClient.SigningAlgorithm] {
    let asked = Set(all(realm: realm).map(\.idTokenAlgorithm))
    return OpenIDClient.SigningAlgorithm.allCases.filter { $0 == .es256 || asked.contains($0) }
  }

  /// The authentication methods of a realm's clients. `client_secret_post` is included only if a client is registered for it.
  package func authentications(realm: String) -> [OpenIDClient.Authentication] {
    let asked = Set(all(realm: realm).map(\.authentication))
    return OpenIDClient.Authentication.allCases.filter { $0 != .clientSecretPost || asked.contains($0) }
  }

  /// Warnings about settings that are accepted but could be safer, with the client and the member.
  package var warnings: [String] { all.flatMap(\.warnings) }

  /// The maximum number of clients in a file.
  private static let maximumCount = 10_000

  private static let members = ["acr_journeys", "require_dpop_nonce", "clients"]

  /// Reads a file's bytes.
  ///
  /// - Throws: `JSONFault` with the member's path and the client. Unknown members are faults, too, because a misspelt restriction restricts
  ///   nothing.
  package init(parsing bytes: [UInt8]) throws(JSONFault) {
    let file = try JSONReader(
      parsing: bytes, limits: JSONLimits(maximumBytes: 16 << 20, maximumDepth: 16),
      rules: JSONReader.Rules(longestText: 8192))
    try file.requireOnly(Self.members)
    contexts = try file["acr_journeys"]?.contexts() ?? [:]
    requiresDPoPNonce = try file["require_dpop_nonce"]?.flag() ?? false
    for entry in try file.member("clients").elements("clients", atMost: Self.maximumCount) {
      let client = try OpenIDClient(entry)
      guard self.client(client.id, realm: client.realm) == nil else {
        throw entry.wrong("client \(client.id) occurs twice in the file for realm \(client.realm)")
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
    "require_consent", "claims_in_id_token", "acr_journeys", "id_token_signed_response_alg",
  ]

  fileprivate init(_ entry: JSONReader) throws(JSONFault) {
    let id = try entry.member("client_id").text()
    guard (1...128).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3A })
    else {
      throw entry.wrong(
        "client_id", "must be 1 to 128 printable ASCII characters without spaces and colons")
    }
    do throws(JSONFault) { try self.init(id: id, entry) } catch {
      throw JSONFault("\(error.problem) (client \(id))", at: error.path)
    }
  }

  private init(id: String, _ entry: JSONReader) throws(JSONFault) {
    try entry.requireOnly(Self.members)
    self.init(
      id: id, realm: try entry["realm"]?.text() ?? "alpha", name: try entry["client_name"]?.text() ?? id,
      authentication: try entry["token_endpoint_auth_method"]?.choice() ?? .clientSecretBasic)
    try readProof(entry)
    try readAddresses(entry)
    if let names = try entry["grant_types"]?.elements() {
      grants = []
      for name in names { grants.insert(try name.choice()) }
    }
    if let scope = try entry["scope"]?.text() { scopes = Set(scope.split(separator: " ").map(String.init)) }
    audience = try entry["audience"]?.texts() ?? []
    accessTokenFormat = try entry["access_token_format"]?.choice() ?? accessTokenFormat
    accessTokenLifetime = try entry["access_token_lifetime"]?.number(in: 10...86_400) ?? accessTokenLifetime
    idTokenLifetime = try entry["id_token_lifetime"]?.number(in: 10...86_400) ?? idTokenLifetime
    refreshTokenLifetime =
      try entry["refresh_token_lifetime"]?.number(in: 60...366 * 86_400) ?? refreshTokenLifetime
    requiresDPoP = try entry["dpop_bound_access_tokens"]?.flag() ?? false
    requiresPushedRequests = try entry["require_pushed_authorization_requests"]?.flag() ?? false
    requiresConsent = try entry["require_consent"]?.flag() ?? true
    putsClaimsInIDToken = try entry["claims_in_id_token"]?.flag() ?? false
    idTokenAlgorithm = try entry["id_token_signed_response_alg"]?.choice() ?? idTokenAlgorithm
    contexts = try entry["acr_journeys"]?.contexts() ?? [:]
    if grants.contains(.ciba), isPublic {
      throw entry.wrong(
        "grant_types", "CIBA is not for a public client: anyone who knows its id could ask people")
    }
    if grants.contains(.clientCredentials), isPublic {
      throw entry.wrong("grant_types", "client_credentials is not for a public client, which has none")
    }
    if grants.contains(.authorizationCode), redirectURIs.isEmpty {
      throw entry.wrong("redirect_uris", "must be a list of at least one address")
    }
  }

  /// Warnings about settings that are accepted but could be safer, with the client and the member.
  package var warnings: [String] {
    [("redirect_uris", redirectURIs), ("post_logout_redirect_uris", postLogoutURIs)].flatMap { name, uris in
      Set(uris.compactMap(RedirectAddress.schemeWithoutDot)).sorted().map { scheme in
        "Client \(id): \(name): the scheme \(scheme) has no dot, so another app on the device may use the same one. "
          + "Use a reversed domain name such as com.example.app (RFC 8252 §7.1), or an https address."
      }
    }
  }

  private mutating func readProof(_ entry: JSONReader) throws(JSONFault) {
    if let hash = try entry["client_secret_sha256"]?.text() {
      guard let bytes = Base64URL.decode(hash), bytes.count == SHA256.byteCount else {
        throw entry.wrong("client_secret_sha256", "must be the SHA-256 of the secret in base64url")
      }
      secretHash = bytes
    }
    if let set = entry["jwks"] {
      let list = try set.object().member("keys").elements("keys", atMost: 20)
      guard !list.isEmpty else { throw set.wrong("must be an object with 1 to 20 keys") }
      for key in list {
        do throws(JOSEError) { keys.append(try JWK(json: key.value.objectValue ?? JSONObject())) } catch {
          throw key.wrong("the key is refused: \(error.reason)")
        }
      }
    }
    switch authentication {
    case .none where secretHash != nil || !keys.isEmpty:
      throw entry.wrong("token_endpoint_auth_method", "none is not for a client with a secret or keys")
    case .clientSecretBasic where secretHash == nil, .clientSecretPost where secretHash == nil:
      throw entry.wrong("client_secret_sha256", "is required for \(authentication.rawValue)")
    case .privateKeyJWT where keys.isEmpty: throw entry.wrong("jwks", "is required for private_key_jwt")
    default: break
    }
  }

  private mutating func readAddresses(_ entry: JSONReader) throws(JSONFault) {
    for (name, addresses) in [
      ("redirect_uris", \Self.redirectURIs), ("post_logout_redirect_uris", \.postLogoutURIs),
    ] as [(String, WritableKeyPath<Self, [String]>)] {
      for address in try entry[name]?.elements() ?? [] {
        let uri = try address.text()
        guard RedirectAddress.isAcceptable(uri) else {
          throw address.wrong("must be \(RedirectAddress.rule): \(uri)")
        }
        self[keyPath: addresses].append(uri)
      }
    }
    if let uri = try entry["backchannel_logout_uri"]?.text() {
      guard WebOrigin(address: uri)?.isConfidential == true, !uri.contains("#") else {
        throw entry.wrong(
          "backchannel_logout_uri", "must be an https address, or one of this machine, without a fragment")
      }
      backchannelLogoutURI = uri
    }
  }
}

extension JSONReader {
  /// What each `acr` value asks for.
  fileprivate func contexts() throws(JSONFault) -> [String: AuthenticationContext] {
    var contexts: [String: AuthenticationContext] = [:]
    for (name, value) in try members(atMost: 1000) {
      guard let context = AuthenticationContext(json: value.value) else {
        throw value.wrong(
          "must be a journey's name, or an object such as {\"journey\": \"StepUp\", \"level\": 2}")
      }
      contexts[name] = context
    }
    return contexts
  }
}
