internal import Bytes
internal import Foundation
internal import OpenIDFormats
internal import PingLogger
package import PingOrchestrate
internal import StrictJSON
internal import WebAddresses

// The requests to the provider, each with its limits.
extension OidcClientConfig {
  /// The provider's addresses.
  ///
  /// - Throws: ``OidcError/unknown(cause:message:)`` when they are not known.
  func provider() async throws -> OpenIdConfiguration {
    try await oidcInitialize()
    guard let openId else {
      throw OidcError.unknown(message: "The provider's addresses are not known: set discoveryEndpoint.")
    }
    return openId
  }

  func discover() async throws -> OpenIdConfiguration {
    let request = Request(urlString: discoveryEndpoint)
    let answer = try await send(request, maximumBytes: ProviderMetadata.maximumBytes)
    guard answer.status() == 200 else { throw OidcError.refused(answer, by: "discovery") }
    do {
      return OpenIdConfiguration(
        try ProviderMetadata(parsing: answer.data, fetchedFrom: discoveryEndpoint, issuer: issuer))
    } catch { throw OidcError.authorizeError(cause: error, message: error.reason) }
  }

  /// Sends a request that needs no proof of possession.
  func send(_ request: Request, maximumBytes: Int) async throws -> HttpResponse {
    let answer: HttpResponse
    do {
      answer = try await (httpClient ?? Self.standardClient).response(to: request)
    } catch let error as OidcError {
      throw error
    } catch is CancellationError {
      throw OidcError.networkError(cause: CancellationError(), message: "The request was cancelled.")
    } catch  where error is ResponseError || error is RequestError {
      throw OidcError.unknown(cause: error)
    } catch {
      throw OidcError.networkError(cause: error)
    }
    guard answer.data.count <= maximumBytes else {
      throw OidcError.unknown(
        message:
          "The provider's answer has \(answer.data.count) bytes; more than \(maximumBytes) are not read.")
    }
    return answer
  }

  /// Sends the request of an agent.
  package func sendForAgent(_ request: Request) async throws -> HttpResponse {
    try await send(request, maximumBytes: TokenAnswer.maximumBytes)
  }

  /// The client for configurations outside a journey.
  private static let standardClient = HttpClient()

  /// Verifies an ID token with the provider's published keys.
  func verified(_ idToken: String, nonce: String?, subject: String?, accessToken: String) async throws
    -> IDToken
  {
    let openId = try await provider()
    guard let issuer = openId.issuer, let address = openId.jwksURI else {
      throw OidcError.authorizeError(
        message: "The ID token cannot be verified: the provider's configuration has no issuer or no jwks_uri."
      )
    }
    let expected = IDTokenExpectations(
      issuer: issuer, clientID: clientId, nonce: nonce, subject: subject, accessToken: accessToken)
    do {
      return try await shared.providerKeys(at: address).verify(idToken, expecting: expected, now: now()) {
        let answer = try await self.send(
          Request(urlString: address), maximumBytes: SigningKeySet.maximumBytes)
        guard answer.status() == 200 else { throw OidcError.refused(answer, by: "key") }
        return [UInt8](answer.data)
      }
    } catch let error as OpenIDError {
      throw OidcError.authorizeError(cause: error, message: error.reason)
    }
  }

  /// Ends the session that `idToken` belongs to.
  func endSession(idToken: String) async throws -> Bool {
    let openId = try await provider()
    let own = openId.pingEndsessionEndpoint.flatMap { $0.isEmpty ? nil : $0 }
    let address = own ?? openId.endSessionEndpoint
    guard !address.isEmpty else {
      logger.w("The provider has no address to end a session at", error: nil)
      return false
    }
    let request = Request(urlString: address)
    request.parameter(name: OidcClient.Constants.id_token_hint, value: idToken)
    request.parameter(name: OidcClient.Constants.client_id, value: clientId)
    let answer = try await send(request, maximumBytes: TokenAnswer.maximumBytes)
    return (200..<400).contains(answer.status())
  }
}

extension Request {
  /// A request that posts `form` to an endpoint that answers with JSON.
  convenience init(sending form: [String: String], to endpoint: String) {
    self.init(urlString: endpoint)
    self.form(formData: form)
    setHeader(name: Constants.accept, value: ContentType.json.rawValue)
  }
}

extension OidcError {
  init(_ error: AuthorizeError) { self = .authorizeError(cause: error, message: error.errorDescription) }

  /// The error for `answer`. A refusal becomes ``apiError(code:message:)``, so that callers can tell "no longer valid" from "not now".
  init(_ error: OpenIDError, in answer: HttpResponse) {
    self =
      error.code == .refused || answer.status() != 200
      ? .apiError(code: answer.status(), message: error.reason)
      : .authorizeError(cause: error, message: error.reason)
  }

  /// The error for a refusal. Its message is the provider's error code and description, never the whole answer.
  ///
  /// - Parameter other: the message when the answer has neither.
  package static func refused(
    _ answer: HttpResponse, by endpoint: String, otherwise other: String? = nil
  ) -> OidcError {
    let members = try? JSONObject(
      parsing: answer.data, limits: JSONLimits(maximumBytes: TokenAnswer.maximumBytes, maximumDepth: 16))
    let texts = [members?["error"]?.stringValue, members?["error_description"]?.stringValue].compactMap { $0 }
    let text = texts.map { String($0.onOneLine.prefix(300)) }.joined(separator: ": ")
    return .apiError(
      code: answer.status(), message: text.isEmpty ? other ?? "The \(endpoint) endpoint refused." : text)
  }

  /// Returns `error` as an ``OidcError``.
  static func wrapping(_ error: any Error) -> OidcError {
    switch error {
    case let error as OidcError: error
    case let error as OpenIDError: .authorizeError(cause: error, message: error.reason)
    case let error as AuthorizeError: .authorizeError(cause: error)
    default: .unknown(cause: error)
    }
  }

  /// Whether the provider has rejected the grant for good, so that keeping it is of no use.
  var isFinalRefusal: Bool {
    if case .apiError(let code, _) = self {
      (400..<500).contains(code) && code != 408 && code != 429
    } else {
      false
    }
  }
}
