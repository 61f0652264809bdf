public import PingJourneyPlugin
public import PingOrchestrate
internal import StrictJSON

/// Asks the app to sign the person in at a provider by itself, and to answer with the provider's token.
// Its stored properties are guarded.
public class IdpCallback: AbstractCallback, @unchecked Sendable {
  /// The provider's name on the server.
  @Guarded public private(set) var provider: String = ""
  /// The client id that the provider has registered.
  @Guarded public private(set) var clientId: String = ""
  /// The address to which the provider sends the person afterwards.
  @Guarded public private(set) var redirectUri: String = ""
  /// The requested scopes.
  @Guarded public private(set) var scopes: [String] = []
  /// The value that the ID token has to contain.
  @Guarded public private(set) var nonce: String = ""
  /// How the person is to be authenticated.
  @Guarded public private(set) var acrValues: [String] = []
  /// A signed request, or `""`.
  @Guarded public private(set) var request: String = ""
  /// The address of a signed request, or `""`.
  @Guarded public private(set) var requestUri: String = ""
  /// Whether the answer may be JSON with more than the token.
  @Guarded public private(set) var acceptsJSON: Bool = false

  @Guarded private var received = (token: "", type: "")

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.provider: provider = OutputValue.string(value) ?? provider
    case JourneyConstants.clientId: clientId = OutputValue.string(value) ?? clientId
    case JourneyConstants.redirectUri: redirectUri = OutputValue.string(value) ?? redirectUri
    case JourneyConstants.scopes: scopes = OutputValue.strings(value) ?? scopes
    case JourneyConstants.nonce: nonce = OutputValue.string(value) ?? nonce
    case JourneyConstants.acrValues: acrValues = OutputValue.strings(value) ?? acrValues
    case JourneyConstants.request: request = OutputValue.string(value) ?? request
    case JourneyConstants.requestUri: requestUri = OutputValue.string(value) ?? requestUri
    case JourneyConstants.acceptsJSON: acceptsJSON = OutputValue.bool(value) ?? acceptsJSON
    default: break
    }
  }

  /// Signs the person in, and keeps the token as the answer.
  ///
  /// - Parameter idpHandler: the handler for the provider. None is built in: the vendors' own SDKs are not part of this one.
  /// - Returns: the provider's answer, or ``IdpExceptions``, `OidcError` or `BrowserError`.
  public func authorize(idpHandler: (any IdpHandler)? = nil) async -> Result<IdpResult, any Error> {
    guard let idpHandler else {
      return .failure(
        IdpExceptions.unsupportedIdpException(
          message: "There is no handler for the provider '\(provider)': pass one, such as OpenIDHandler."))
    }
    do {
      let result = try await idpHandler.authorize(
        idpClient: IdpClient(
          clientId: clientId, redirectUri: redirectUri, scopes: scopes, nonce: nonce, acrValues: acrValues,
          request: request, requestUri: requestUri, acceptsJSON: acceptsJSON))
      received = (answer(of: result, idpHandler.tokenType), idpHandler.tokenType)
      return .success(result)
    } catch { return .failure(error) }
  }

  /// The token or, if the server accepts it, JSON with the token under its type's name and the provider's other values.
  private func answer(of result: IdpResult, _ type: String) -> String {
    guard acceptsJSON, let more = result.additionalParameters, !more.isEmpty else { return result.token }
    var json = JSONObject(more.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) })
    json[type] = .string(result.token)
    return JSONValue.object(json).text
  }

  /// The inputs are named after the callback's place in the step, such as `IDToken1token_type`.
  public override func payload() -> [String: Any] {
    answer { _, name in
      name.hasSuffix(JourneyConstants.token_type)
        ? received.type : name.hasSuffix(JourneyConstants.token) ? received.token : nil
    }
  }
}
