public import Foundation

/// What a provider needs to know about the app and the request.
public struct IdpClient: Sendable {
  /// The client id that the provider has registered.
  public let clientId: String?
  /// The address to which the provider sends the person afterwards.
  public let redirectUri: String?
  /// The requested scopes.
  public let scopes: [String]
  /// The value that the ID token has to contain.
  public let nonce: String?
  /// How the person is to be authenticated.
  public let acrValues: [String]
  /// A signed request, or `""`.
  public let request: String
  /// The address of a signed request, or `""`.
  public let requestUri: String
  /// Whether the answer may be JSON with more than the token.
  public let acceptsJSON: Bool

  public init(
    clientId: String? = nil, redirectUri: String? = nil, scopes: [String] = [], nonce: String? = nil,
    acrValues: [String] = [], request: String = "", requestUri: String = "", acceptsJSON: Bool = false
  ) {
    self.clientId = clientId
    self.redirectUri = redirectUri
    self.scopes = scopes
    self.nonce = nonce
    self.acrValues = acrValues
    self.request = request
    self.requestUri = requestUri
    self.acceptsJSON = acceptsJSON
  }
}

/// The answer of a provider.
public struct IdpResult: Sendable {
  /// The token. A secret.
  public let token: String
  /// The provider's other values.
  public let additionalParameters: [String: String]?

  public init(token: String, additionalParameters: [String: String]? = nil) {
    self.token = token
    self.additionalParameters = additionalParameters
  }
}

extension IdpResult: CustomStringConvertible, CustomReflectable {
  /// The description omits the token.
  public var description: String { "IdpResult(token: redacted)" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Signs the person in at a provider: ``OpenIDHandler``, or a handler that an app builds on a vendor's own SDK.
public protocol IdpHandler: Sendable {
  /// The kind of token that the handler gets: `id_token` or `authorization_code`. Sealring does not accept an `access_token`, because one
  /// for another app would work as well.
  var tokenType: String { get }

  /// Signs the person in.
  func authorize(idpClient: IdpClient) async throws -> IdpResult
}

/// Why a sign-in at a provider failed.
public enum IdpExceptions: Error, LocalizedError, Sendable {
  /// The server's request cannot be carried out.
  case illegalArgumentException(message: String)
  /// There is no handler for the provider.
  case unsupportedIdpException(message: String)
  /// The provider's answer does not belong to this request.
  case illegalStateException(message: String)
  /// The person has cancelled.
  case idpCanceledException(message: String)

  public var errorDescription: String? {
    switch self {
    case .illegalArgumentException(let message), .unsupportedIdpException(let message),
      .illegalStateException(let message), .idpCanceledException(let message):
      message
    }
  }
}
