internal import Bytes
internal import JOSE
public import StrictJSON

/// A message from the server to a device: what is asked, of whom, until when.
public struct PushMessage: Sendable, Hashable {
  /// Claim `u`: the device's registration.
  public var mechanismUID: String
  /// Claim `c`.
  public var challenge: PushChallenge
  /// Claim `l`: the load balancer's cookie, `name=value`.
  public var loadBalancer: String?
  /// Claim `m`: the text to show.
  public var text: String?
  /// Claim `k`.
  public var type = PushMessageType.default
  /// Claim `i`: when the server sent it, in milliseconds since 1970.
  public var sentAtMilliseconds: Int64?
  /// Claim `t`: how long it may be answered, in seconds from sending.
  public var timeToLive: Int
  /// Claim `d`: the user's name (servers since 8.0.1).
  public var username: String?
  /// Claim `p`: JSON text.
  public var customPayload: String?
  /// Claim `x`: JSON text with `location`, `remoteIp` and `userAgent`.
  public var contextInfo: String?
  /// Claim `n`: the numbers to choose from.
  public var numbers: [Int] = []
  /// Claim `codeLength`, ours: the person types this many digits. A challenge without ``numbers``.
  public var codeLength: Int?
  /// Every other claim.
  public var additional = JSONObject()

  /// The time to answer a message that does not state one, in seconds.
  public static let standardTimeToLive = 120

  public init(
    mechanismUID: String, challenge: PushChallenge, loadBalancer: String? = nil, text: String? = nil,
    sentAtMilliseconds: Int64? = nil, timeToLive: Int = standardTimeToLive, username: String? = nil,
    customPayload: String? = nil, contextInfo: String? = nil
  ) {
    self.mechanismUID = mechanismUID
    self.challenge = challenge
    self.loadBalancer = loadBalancer
    self.text = text
    self.sentAtMilliseconds = sentAtMilliseconds
    self.timeToLive = timeToLive
    self.username = username
    self.customPayload = customPayload
    self.contextInfo = contextInfo
  }
}

extension PushMessage {
  static let ownClaims: Set<String> = [
    "u", "c", "l", "m", "k", "i", "t", "d", "p", "x", "n", "codeLength",
  ]

  /// The claims as servers write them: numbers as text, and always with `l`, because older apps require it.
  public var claims: JSONObject {
    var claims: JSONObject = [
      "u": .string(mechanismUID), "l": .string(PaddedBase64.encode((loadBalancer ?? "").utf8)),
      "c": .string(challenge.base64),
    ]
    claims["m"] = text.map { .string($0) }
    claims["k"] = .string(type.rawValue)
    claims["i"] = sentAtMilliseconds.map { .string("\($0)") }
    claims["t"] = .string("\(timeToLive)")
    claims["d"] = username.map { .string($0) }
    claims["p"] = customPayload.map { .string($0) }
    claims["x"] = contextInfo.map { .string($0) }
    if !numbers.isEmpty { claims["n"] = .string(numbers.map(String.init).joined(separator: ",")) }
    claims["codeLength"] = codeLength.map { .string("\($0)") }
    for (name, value) in additional where !Self.ownClaims.contains(name) { claims[name] = value }
    return claims
  }

  /// The signed token.
  ///
  /// - Throws: ``PushFormatError/Code/tooLarge`` above ``PushFormatLimits/tokenBytes``.
  public func token(secret: PushSecret) async throws -> String {
    let token = try await secret.sign(claims)
    guard token.utf8.count <= PushFormatLimits.tokenBytes else {
      throw PushFormatError(
        .tooLarge, "The message has \(token.utf8.count) bytes, more than \(PushFormatLimits.tokenBytes).")
    }
    return token
  }

  init(claims: JSONObject) throws(PushFormatError) {
    mechanismUID = try claims.required("u", limit: 256)
    challenge = try PushChallenge(base64: claims.required("c", limit: 512))
    let cookie = claims["l"]?.stringValue.flatMap { LenientBase64.decodeText($0) } ?? ""
    loadBalancer =
      cookie.isEmpty || !cookie.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? nil : cookie
    text = try claims.optional("m")
    type = claims["k"]?.stringValue.flatMap { PushMessageType(ignoringCase: $0) } ?? .default
    sentAtMilliseconds = claims.number("i")
    timeToLive = Int(clamping: claims.number("t") ?? Int64(Self.standardTimeToLive))
    if timeToLive < 0 { timeToLive = 0 }
    username = try claims.optional("d")
    customPayload = try Self.json("p", in: claims)
    contextInfo = try Self.json("x", in: claims)
    numbers = Self.numbers(in: claims["n"]?.stringValue ?? "")
    codeLength = claims.number("codeLength").flatMap { Int(exactly: $0) }.flatMap {
      PushCodeChallenge.lengths.contains($0) ? $0 : nil
    }
    additional = JSONObject(claims.filter { !Self.ownClaims.contains($0.name) }.map { ($0.name, $0.value) })
  }

  /// Text, or the text of a JSON object or array.
  private static func json(_ name: String, in claims: JSONObject) throws(PushFormatError) -> String? {
    switch claims[name] {
    case .object, .array: claims[name]?.text
    default: try claims.optional(name, limit: PushFormatLimits.tokenBytes)
    }
  }

  /// The numbers of comma-separated text; what is not a number is left out.
  public static func numbers(in text: String) -> [Int] {
    text.split(separator: ",").compactMap { Int(trimmed(String($0))) }
  }
}

/// A message that has the right form. Nothing in it may be believed or shown before ``verified(with:)``.
public struct UnverifiedPushMessage: Sendable {
  private let token: UnverifiedJWS

  /// The device whose secret verifies it.
  public let mechanismUID: String

  /// - Throws: ``PushFormatError`` when it is too long, does not have three parts, `alg` is none or unknown, or there is no
  ///   `u` or `c`.
  public init(_ token: String) throws(PushFormatError) {
    let token = try unverified(token)
    guard token.header.algorithm == .hs256 else {
      throw PushFormatError(
        .invalidSignature,
        "The message is signed with \(token.header.algorithm.rawValue), not HS256.")
    }
    let claims = try JSONObject(parsingBody: token.payload, limit: PushFormatLimits.tokenBytes)
    mechanismUID = try claims.required("u", limit: 256)
    _ = try claims.required("c", limit: 512)
    self.token = token
  }

  /// The text as received.
  public var compact: String { token.compact }

  /// What the message claims. Verify it before anything of it is stored or shown.
  package func unverifiedContent() throws(PushFormatError) -> PushMessage {
    try PushMessage(claims: JSONObject(parsingBody: token.payload, limit: PushFormatLimits.tokenBytes))
  }

  /// All claims as they were sent. Verify the message before any of them is stored or shown.
  package func unverifiedClaims() throws(PushFormatError) -> JSONObject {
    try JSONObject(parsingBody: token.payload, limit: PushFormatLimits.tokenBytes)
  }

  /// The message, once its signature has been checked.
  ///
  /// - Throws: ``PushFormatError/Code/invalidSignature`` when the signature is not by `secret`.
  public func verified(with secret: PushSecret) throws(PushFormatError) -> PushMessage {
    try PushMessage(claims: secret.claims(of: token))
  }
}
