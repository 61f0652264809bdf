internal import Bytes
internal import Crypto
internal import Foundation
internal import JOSE
internal import StrictJSON

/// Cryptography of scripts with keys of their own. The server's keys are not reachable from here.
struct ScriptCryptography {
  let services: NodeServices

  func random(_ call: ScriptCall) throws(NodeError) -> JSONValue {
    .string(PaddedBase64.encode(services.randomBytes(try call.number(0, in: 0...4096))))
  }

  func digest(_ call: ScriptCall) throws(NodeError) -> JSONValue {
    let name = try call.text(0)
    let bytes = try Self.bytes(call, 1)
    let digest: [UInt8]
    switch Self.plain(name) {
    case "SHA256": digest = Array(SHA256.hash(data: bytes))
    case "SHA384": digest = Array(SHA384.hash(data: bytes))
    case "SHA512": digest = Array(SHA512.hash(data: bytes))
    case "SHA1": digest = Array(Insecure.SHA1.hash(data: bytes))
    case "MD5": digest = Array(Insecure.MD5.hash(data: bytes))
    default: throw Self.unknown(name)
    }
    return .string(PaddedBase64.encode(digest))
  }

  func hmac(_ call: ScriptCall) throws(NodeError) -> JSONValue {
    .string(PaddedBase64.encode(try code(call)))
  }

  func verifiesHMAC(_ call: ScriptCall) throws(NodeError) -> JSONValue {
    .bool(ConstantTime.areEqual(try code(call), try Self.bytes(call, 3)))
  }

  private func code(_ call: ScriptCall) throws(NodeError) -> [UInt8] {
    let name = try call.text(0)
    let key = SymmetricKey(data: try Self.bytes(call, 1))
    let bytes = try Self.bytes(call, 2)
    switch Self.plain(name) {
    case "SHA256": return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    case "SHA384": return Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key))
    case "SHA512": return Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
    case "SHA1": return Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
    default: throw Self.unknown(name)
    }
  }

  private static func plain(_ name: String) -> String {
    let name = name.uppercased().replacing("-", with: "")
    return name.hasPrefix("HMAC") ? String(name.dropFirst(4)) : name
  }

  private static func unknown(_ name: String) -> NodeError {
    NodeError("the algorithm \(name.quoted) is not available; use SHA-256, SHA-384 or SHA-512")
  }

  private static func bytes(_ call: ScriptCall, _ index: Int) throws(NodeError) -> [UInt8] {
    guard let bytes = PaddedBase64.decode(try call.text(index)) else {
      throw NodeError("\(call.function): argument \(index + 1) is not valid base64")
    }
    return bytes
  }

  // MARK: JWT

  /// Longest life of a token that a script makes, in minutes.
  private static let longestLife: Int64 = 1440

  func sign(_ call: ScriptCall) async throws -> JSONValue {
    let data = try call.object(0)
    let now = Int64(services.clock().timeIntervalSince1970)
    var claims = data["claims"]?.objectValue ?? JSONObject()
    for (claim, name) in [("iss", "issuer"), ("sub", "subject"), ("aud", "audience"), ("scope", "scope")] {
      if let value = data[name] ?? data[claim], !value.isNull { claims[claim] = value }
    }
    let life = data["validityMinutes"]?.integerValue ?? 1
    guard (1...Self.longestLife).contains(life) else {
      throw NodeError("jwtAssertion: validityMinutes is from 1 to \(Self.longestLife)")
    }
    claims["iat"] = .integer(now)
    claims["exp"] = .integer(now + life * 60)
    if claims["jti"] == nil { claims["jti"] = .string(services.uuid()) }
    guard (data["jwtType"]?.stringValue ?? "SIGNED").uppercased() == "SIGNED" else {
      throw NodeError("jwtAssertion makes signed tokens; encrypted ones are not available")
    }
    let type = data["type"]?.stringValue ?? "JWT"
    switch data["jwsAlgorithm"]?.stringValue ?? (data["privateKey"] == nil ? "HS256" : "ES256") {
    case "HS256":
      let header = JWSHeader(algorithm: .hs256, type: type)
      return .string(
        try await JWS.compact(
          header: header, claims: claims, signer: HMACSigner(secret: try Self.secret(data))))
    case "ES256":
      let (key, id) = try Self.privateKey(data)
      let header = JWSHeader(algorithm: .es256, type: type, keyID: id)
      return .string(
        try await JWS.compact(header: header, claims: claims, signer: P256Signer(privateKey: key)))
    case let other: throw NodeError("jwtAssertion signs with HS256 and ES256, not with \(other.quoted)")
    }
  }

  /// The claims of a valid token, else `null`: an invalid token is not an error of the script.
  func verify(_ call: ScriptCall) throws(NodeError) -> JSONValue {
    let (token, data) = (try call.text(0), try call.object(1))
    let key: VerificationKey
    do {
      if let json = Self.publicKey(data) {
        key = try VerificationKey(try JWK(json: json))
      } else {
        key = VerificationKey(secret: try Self.secret(data))
      }
    } catch { throw NodeError("jwtValidator: the key cannot be used: \(error)") }
    let allowed = data["jwsAlgorithm"]?.stringValue.map {
      Set([JWSAlgorithm(rawValue: $0)].compactMap(\.self))
    }
    guard
      let verified = try? UnverifiedJWS(compact: token).verified(
        with: key, allowing: allowed ?? key.algorithms),
      let claims = try? verified.claims()
    else { return .null }
    let now = Int64(services.clock().timeIntervalSince1970)
    let skew: Int64 = 60
    // A token without an end would be good for ever.
    guard let end = claims["exp"]?.integerValue, now - skew < end else { return .null }
    // A time that cannot be read may lie ahead.
    for start in ["nbf", "iat"].compactMap({ claims[$0] }) {
      guard let time = start.doubleValue, time <= Double(now + skew) else { return .null }
    }
    for (claim, name) in [("iss", "issuer"), ("sub", "subject")] {
      if let wanted = data[name]?.stringValue, claims[claim]?.stringValue != wanted { return .null }
    }
    if let audience = data["audience"]?.stringValue {
      let audiences = claims["aud"]?.arrayValue ?? [claims["aud"] ?? .null]
      guard audiences.contains(.string(audience)) else { return .null }
    }
    return .object(claims)
  }

  private static func secret(_ data: JSONObject) throws(NodeError) -> SymmetricSecret {
    guard let text = (data["signingKey"] ?? data["sharedSecret"])?.stringValue,
      let bytes = PaddedBase64.decode(text) ?? LenientBase64.decode(text),
      let secret = try? SymmetricSecret(bytes)
    else { throw NodeError("signingKey must be at least 32 bytes in base64") }
    return secret
  }

  private static func privateKey(_ data: JSONObject) throws(NodeError) -> (P256.Signing.PrivateKey, String?) {
    guard let json = jwk(data["privateKey"]), json["crv"]?.stringValue == "P-256",
      let bytes = json["d"]?.stringValue.flatMap({ LenientBase64.decode($0) }),
      let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
    else { throw NodeError("privateKey must be a JWK of the curve P-256 with the member d") }
    return (key, json["kid"]?.stringValue)
  }

  private static func publicKey(_ data: JSONObject) -> JSONObject? {
    for name in ["publicKey", "jwk", "privateKey", "signingKey"] {
      guard var json = jwk(data[name]) else { continue }
      json["d"] = nil
      return json
    }
    return nil
  }

  /// A JWK as an object, as text, or as the only one of a set.
  private static func jwk(_ value: JSONValue?) -> JSONObject? {
    var object = value?.objectValue
    if let text = value?.stringValue { object = try? JSONObject(parsing: Array(text.utf8)) }
    if let keys = object?["keys"]?.arrayValue { return keys.count == 1 ? keys[0].objectValue : nil }
    return object
  }
}
