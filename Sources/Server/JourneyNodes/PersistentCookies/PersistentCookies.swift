internal import Accounts
public import BindingFormats
public import Bytes
internal import Crypto
public import Foundation
internal import JOSE
public import JourneyEngine
public import JourneyStore
internal import StrictJSON

/// Cookies by which a browser signs in again without a password: a signed JWT inside an encrypted one (RFC 7519 §5.2, RFC 7516 with `dir`
/// and `A256GCM`), under secrets of the server that are rotated.
///
/// A cookie is bound to its name, its realm, the account (not only its name), the account's password and, if wanted, the client's address.
/// A new password ends all of them, and so does ending the account's sessions.
public struct PersistentCookies: Sendable, Redacted {
  /// The secret that makes cookies, then earlier ones, whose cookies are still accepted.
  private let secrets: @Sendable () -> [[UInt8]]

  /// No cookie lives longer. Seconds: 90 days.
  public static let longestLife: TimeInterval = 90 * 86_400

  /// Longest cookie that is read, in bytes.
  private static let maximumBytes = 4096

  public init(secrets: @escaping @Sendable () -> [[UInt8]]) { self.secrets = secrets }

  /// A cookie that a journey asks for: set when it ends in a session.
  struct Order: Sendable, Codable {
    var name: String

    /// Seconds.
    var idleTime: Int64
    var maximumLife: Int64
    var isSecure: Bool
    var isHTTPOnly: Bool

    /// When the person last proved who they are; `nil` for now. Milliseconds since 1970.
    var authenticatedAt: Int64?

    /// The latest end of a cookie that is renewed. Milliseconds since 1970.
    var expiresAt: Int64?

    private enum CodingKeys: String, CodingKey {
      case name, idleTime = "idle", maximumLife = "life", isSecure = "secure", isHTTPOnly = "httpOnly"
      case authenticatedAt = "auth", expiresAt = "exp"
    }
  }

  /// The content of a valid cookie.
  struct Content: Sendable {
    var user: UserRecord
    var authenticatedAt: Int64
    var expiresAt: Int64
  }

  /// A cookie as it is to be set.
  public struct Issued: Sendable {
    public var name: String
    public var value: String

    /// How long browsers keep it. Seconds.
    public var lifetime: Int
    public var isSecure: Bool
    public var isHTTPOnly: Bool
  }

  private static let stateKey = "persistentCookies"

  /// Cookies of one journey.
  private static let mostOrders = 4

  static func order(_ order: Order, in state: inout JourneyState) {
    var orders = state.secure[stateKey]?.arrayValue ?? []
    orders.removeAll { $0["name"]?.stringValue == order.name }
    guard orders.count < mostOrders, let stored = try? StoredJSON.json(of: order) else { return }
    state.secure[stateKey] = .array(orders + [stored])
  }

  /// The cookies that a journey has asked for, for the account that it signed in.
  public func issue(
    _ state: JourneyState, for user: UserRecord, clientAddress: String, now: Date,
    randomBytes: (Int) -> [UInt8]
  ) -> [Issued] {
    guard let secret = secrets().first else { return [] }
    let milliseconds = now.millisecondsSince1970
    let orders = (state.secure[Self.stateKey]?.arrayValue ?? []).compactMap {
      StoredJSON.value(Order.self, from: $0)
    }
    return orders.compactMap { order in
      let end = min(
        order.expiresAt ?? (milliseconds + order.maximumLife * 1000),
        milliseconds + Int64(Self.longestLife) * 1000)
      guard end > milliseconds else { return nil }
      let claims: JSONObject = [
        "sub": .string(user.universalID), "uid": .string(user.id),
        "pwv": .integer(Int64(user.passwordVersion)), "epoch": .integer(Int64(user.cookieEpoch)),
        "realm": .string(NameKey.folded(user.realm)),
        "aud": .string(order.name), "exp": .integer(end), "idle": .integer(order.idleTime),
        "until": .integer(milliseconds + order.idleTime * 1000),
        "auth": .integer(order.authenticatedAt ?? milliseconds), "ip": .string(clientAddress),
      ]
      guard let value = try? Self.seal(claims, secret, nonce: randomBytes(12)) else { return nil }
      let lifetime = min(order.idleTime, (end - milliseconds) / 1000)
      return Issued(
        name: order.name, value: value, lifetime: Int(lifetime), isSecure: order.isSecure,
        isHTTPOnly: order.isHTTPOnly)
    }
  }

  /// The content of the request's cookie of that name, if everything that it is bound to is unchanged.
  ///
  /// - Parameter requiresAddress: whether it must come from the client's address that it was made for.
  func content(
    named name: String, in request: RequestFacts, requiresAddress: Bool, store: any ServerStore, now: Date
  ) async throws -> Content? {
    guard let text = CookieHeader(request.headers["cookie"])[name], text.utf8.count <= Self.maximumBytes
    else { return nil }
    let milliseconds = now.millisecondsSince1970
    for secret in secrets() {
      guard let claims = try? Self.open(text, secret) else { continue }
      guard claims["aud"]?.stringValue == name,
        claims["realm"]?.stringValue == NameKey.folded(request.realm),
        let end = claims["exp"]?.integerValue, end > milliseconds,
        let until = claims["until"]?.integerValue, until > milliseconds,
        let authenticated = claims["auth"]?.integerValue, claims["idle"]?.integerValue != nil,
        !requiresAddress || claims["ip"]?.stringValue == request.clientAddress,
        let account = claims["sub"]?.stringValue.flatMap({ UniversalID($0) }),
        let user = try await store.user(named: account.username, realm: request.realm), user.isActive,
        claims["uid"]?.stringValue == user.id,
        claims["pwv"]?.integerValue == Int64(user.passwordVersion),
        claims["epoch"]?.integerValue ?? 0 == Int64(user.cookieEpoch), !user.mustChangePassword,
        user.passwordExpiry.map({ $0 > now }) ?? true
      else { return nil }
      return Content(user: user, authenticatedAt: authenticated, expiresAt: end)
    }
    return nil
  }

  /// The names of the cookies that would sign `account` in again, which are to be cleared when it signs out.
  ///
  /// - Parameter cookies: a request's `Cookie` header.
  public func names(in cookies: String?, of account: UniversalID) -> [String] {
    CookieHeader(cookies).cookies.filter { cookie in
      guard cookie.value.hasPrefix(Self.header), cookie.value.utf8.count <= Self.maximumBytes else {
        return false
      }
      return secrets().contains { secret in
        guard let claims = try? Self.open(cookie.value, secret) else { return false }
        return claims["aud"]?.stringValue == cookie.name && claims["sub"]?.stringValue == account.text
      }
    }.map(\.name)
  }

  /// Whether a cookie's value has the form of a persistent cookie, whatever its secret. No other form is accepted.
  static func isOfForm(_ value: String) -> Bool { value.utf8.starts(with: header.utf8) }

  // MARK: The JWT

  private static let header = Base64URL.encode(Array(#"{"alg":"dir","enc":"A256GCM","cty":"JWT"}"#.utf8))

  private static func keys(_ secret: [UInt8]) throws -> (signing: SymmetricSecret, encryption: SymmetricKey) {
    func key(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: secret), info: Array("persistent cookies: \(purpose)".utf8),
        outputByteCount: 32)
    }
    let signing = key("signing").withUnsafeBytes { Array($0) }
    return (try SymmetricSecret(signing), key("encryption"))
  }

  private static func seal(_ claims: JSONObject, _ secret: [UInt8], nonce: [UInt8]) throws -> String {
    let keys = try keys(secret)
    let signed = try JWS.compact(
      header: JWSHeader(algorithm: .hs256), payload: claims.serialized, secret: keys.signing)
    let box = try AES.GCM.seal(
      Array(signed.utf8), using: keys.encryption, nonce: AES.GCM.Nonce(data: nonce),
      authenticating: Array(header.utf8))
    let parts = [Array(box.nonce), Array(box.ciphertext), Array(box.tag)].map { Base64URL.encode($0) }
    return "\(header)..\(parts[0]).\(parts[1]).\(parts[2])"
  }

  private static func open(_ text: String, _ secret: [UInt8]) throws -> JSONObject? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == header, parts[1].isEmpty, let nonce = Base64URL.decode(parts[2]),
      let encrypted = Base64URL.decode(parts[3]), let tag = Base64URL.decode(parts[4])
    else { return nil }
    let keys = try keys(secret)
    let box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: encrypted, tag: tag)
    let signed = try AES.GCM.open(box, using: keys.encryption, authenticating: Array(header.utf8))
    return try UnverifiedJWS(compact: String(decoding: signed, as: UTF8.self))
      .verified(with: VerificationKey(secret: keys.signing), allowing: [.hs256]).claims()
  }
}
