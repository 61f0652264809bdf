internal import Bytes
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyStore
internal import ServerHTTP

/// Makes the credentials of applications, and verifies those that requests carry.
struct ApplicationAuthority: Sendable {
  let sessions: SessionAuthority

  /// Fresh credentials: 128 bits name the application, 256 bits prove it.
  func makeCredentials() -> (id: String, secret: Secret) {
    (RandomName.make(sessions.randomBytes(16)), Secret(Base64URL.encode(sessions.randomBytes(32))))
  }

  /// The stored hash of a secret.
  static func hash(of secret: Secret) -> [UInt8] { Array(SHA256.hash(data: Data(secret.reveal().utf8))) }

  /// The application that a request comes from, by HTTP Basic (RFC 7617) with its id and secret.
  ///
  /// Refusals have no `WWW-Authenticate`, like all of PingAM's: browsers would ask for a password, and an `URLSession` on
  /// Linux never ends a request that is answered with one.
  ///
  /// - Throws: 401; the same for a missing header, an unknown id and a wrong secret. 429 when the application has sent too
  ///   many requests.
  func requireApplication(_ request: Request, realm: String) async throws -> ApplicationRecord {
    guard Self.credentials(in: request) != nil else {
      throw ErrorResponse.accessDenied("no application's id and secret were sent by HTTP Basic")
    }
    guard let application = try await application(of: request, realm: realm) else {
      throw ErrorResponse.accessDenied("the application is unknown or its secret is wrong")
    }
    try sessions.requests.charge(.application, application.id)
    return application
  }

  /// The application whose id and secret a request carries, or `nil`. Charges nothing.
  func application(of request: Request, realm: String) async throws -> ApplicationRecord? {
    guard let given = Self.credentials(in: request) else { return nil }
    let application = try await sessions.store.application(id: given.id, realm: realm)
    // For an unknown id too, a hash is computed and compared.
    let expected = application?.secretHash ?? [UInt8](repeating: 0, count: SHA256.byteCount)
    let isRight = ConstantTime.areEqual(Self.hash(of: given.secret), expected)
    return isRight ? application : nil
  }

  private static func credentials(in request: Request) -> BasicCredentials? {
    request.headers[.authorization].flatMap(BasicCredentials.init(authorization:))
  }
}
