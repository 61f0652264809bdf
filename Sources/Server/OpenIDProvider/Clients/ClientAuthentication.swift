internal import Bytes
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyStore
internal import ServerHTTP

extension OpenIDProvider {
  /// Authenticates the client of a request by its registered method, and uses up its assertion.
  ///
  /// Unknown clients and wrong proofs get the same answer. A client may use only one method (RFC 6749 §2.3).
  func authenticate(
    _ request: Request, _ parameters: [String: String], _ context: ResourceContext
  ) async throws -> OpenIDClient {
    let audiences = issuers(context).flatMap { [$0, $0 + "/access_token"] }
    let (client, assertion) = try identify(
      request, parameters, realm: context.realm, audiences: [address(of: request, context)] + audiences)
    if let assertion, try await !store.consume(assertion.replayKey, until: assertion.expiry) {
      await noteReplay(.assertion, realm: client.realm, client: client.id)
      throw Self.unproven("the assertion was used before")
    }
    // A public client only names itself, so anybody could use up its requests. Their sender is charged by address instead.
    if !client.isPublic {
      try sessions.requests.charge(.application, "\(client.realm) \(client.id)")
    }
    return client
  }

  /// Whether the request carries the secret of a registered client. Uses nothing up.
  func isProven(_ request: Request, realm: String) async -> Bool {
    guard let parameters = try? await FormParameters.posted(request) else { return false }
    // An assertion would be verified twice, so its clients are charged like everybody else.
    guard parameters["client_assertion"] == nil,
      let (client, _) = try? identify(request, parameters, realm: realm, audiences: [])
    else { return false }
    return !client.isPublic
  }

  private func identify(
    _ request: Request, _ parameters: [String: String], realm: String, audiences: [String]
  ) throws(OAuthError) -> (OpenIDClient, ClientAssertion?) {
    // An address ends up in logs and histories (RFC 6749 §2.3.1).
    try Self.requireNoProof(try FormParameters.parse(request.uri.query ?? ""))
    let header = request.headers[.authorization]
    let isBasic = header.map { $0.prefix(6).lowercased() == "basic " } ?? false
    let ways = [isBasic, parameters["client_secret"] != nil, parameters["client_assertion"] != nil]
    guard ways.count(where: \.self) <= 1 else {
      throw Self.unproven("the client proves itself in two ways at once")
    }
    if let compact = parameters["client_assertion"] {
      guard parameters["client_assertion_type"] == ClientAssertion.type,
        let id = ClientAssertion.claimedClient(compact), (parameters["client_id"] ?? id) == id,
        let client = file.clients.client(id, realm: realm), client.authentication == .privateKeyJWT
      else { throw Self.unproven("the assertion is wrong, or its client is not registered for assertions") }
      return (
        client,
        try ClientAssertion(verifying: compact, client: client, audiences: Set(audiences), now: clock())
      )
    }
    if isBasic {
      guard let given = header.flatMap(BasicCredentials.init(authorization:)) else {
        throw Self.unproven("the header Authorization is malformed")
      }
      // RFC 6749 §2.3.1 form-encodes both before Basic encodes them.
      let id = PercentEncoding.decode(given.id.replacing("+", with: " ")) ?? given.id
      let secret =
        PercentEncoding.decode(given.secret.reveal().replacing("+", with: " ")) ?? given.secret.reveal()
      guard (parameters["client_id"] ?? id) == id else {
        throw Self.unproven("the header Authorization and client_id name different clients")
      }
      return (try client(id, secret: secret, by: .clientSecretBasic, realm: realm), nil)
    }
    if let secret = parameters["client_secret"] {
      return (
        try client(parameters["client_id"] ?? "", secret: secret, by: .clientSecretPost, realm: realm), nil
      )
    }
    guard let id = parameters["client_id"], let client = file.clients.client(id, realm: realm),
      client.isPublic
    else { throw Self.unproven("the request has no proof and names no public client") }
    return (client, nil)
  }

  /// The client with that secret, if it is registered for the method by which the secret came.
  private func client(
    _ id: String, secret: String, by way: OpenIDClient.Authentication, realm: String
  ) throws(OAuthError) -> OpenIDClient {
    let client = file.clients.client(id, realm: realm)
    // For an unknown id too, a hash is computed and compared.
    let expected = client?.secretHash ?? [UInt8](repeating: 0, count: SHA256.byteCount)
    let isRight = ConstantTime.areEqual(OpenIDHash.stored(secret), expected)
    guard let client, isRight else { throw Self.unproven("the client is unknown or its secret is wrong") }
    guard client.authentication == way else {
      throw Self.unproven("the client is not registered for \(way.rawValue)")
    }
    return client
  }

  /// The parameters of a form by which a client proves itself.
  static let proofParameters = ["client_secret", "client_assertion", "client_assertion_type"]

  /// Refuses a proof where it may not stand: in an address, or where none is asked for.
  static func requireNoProof(_ parameters: [String: String]) throws(OAuthError) {
    guard proofParameters.allSatisfy({ parameters[$0] == nil }) else {
      throw OAuthError(
        .invalidRequest, "A client's secret or assertion must not be in an address, nor at this endpoint.",
        cause: "a client sent its secret or assertion in an address or to /authorize; give it another secret")
    }
  }

  private static func unproven(_ cause: String) -> OAuthError {
    OAuthError(.invalidClient, "The client is unknown or did not prove itself.", cause: cause)
  }
}
