internal import Bytes
internal import Concurrency
internal import OpenIDFormats
internal import DeviceKeys
internal import Foundation
internal import JOSE
internal import PingOrchestrate
internal import StrictJSON
internal import WebAddresses

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Sends a request with a proof of the device's key (RFC 9449), and once more when the server wants its nonce in the proof.
struct ProofOfPossession {
  let config: OidcClientConfig
  let key: any DeviceKey

  /// The longest nonce of a server that is used in a proof, in bytes.
  private static let maximumNonceBytes = 1024

  /// - Parameters:
  ///   - accessToken: the token that the request carries, if any.
  ///   - makeRequest: makes the request anew for each attempt, because each proof is valid once.
  func send(
    accessToken: String? = nil, maximumBytes: Int, _ makeRequest: () -> Request
  ) async throws -> HttpResponse {
    let first = try await exchange(makeRequest(), accessToken, maximumBytes)
    guard first.asksForNonce, first.hasNewNonce else { return first.answer }
    return try await exchange(makeRequest(), accessToken, maximumBytes).answer
  }

  private func exchange(
    _ request: Request, _ accessToken: String?, _ maximumBytes: Int
  ) async throws -> (answer: HttpResponse, asksForNonce: Bool, hasNewNonce: Bool) {
    let address = request.urlRequest.url?.absoluteString ?? ""
    guard let origin = WebOrigin(address: address)?.description else {
      throw OidcError.unknown(message: "The provider's address \(address.prefix(200)) is not a web address.")
    }
    let nonce = config.shared.nonces.withLock { $0[origin] }
    let proof = try await proof(
      method: request.getMethod() ?? "GET", url: address, accessToken: accessToken, nonce: nonce)
    request.setHeader(name: "DPoP", value: proof)
    let answer = try await config.send(request, maximumBytes: maximumBytes)
    var hasNewNonce = false
    if let new = answer.header(name: "DPoP-Nonce"), (1...Self.maximumNonceBytes).contains(new.utf8.count),
      new.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    {
      config.shared.nonces.withLock { $0[origin] = new }
      hasNewNonce = new != nonce
    }
    return (answer, Self.asksForNonce(answer), hasNewNonce)
  }

  /// Whether the server asks for its nonce: an authorization server does so in the body (§8), a resource server in the challenge (§9).
  private static func asksForNonce(_ answer: HttpResponse) -> Bool {
    switch answer.status() {
    case 400:
      (try? JSONObject(parsing: answer.data))?["error"]?.stringValue == "use_dpop_nonce"
    case 401: answer.header(name: "WWW-Authenticate")?.contains("use_dpop_nonce") == true
    default: false
    }
  }

  private func proof(method: String, url: String, accessToken: String?, nonce: String?) async throws -> String
  {
    try await DPoPProof.make(
      method: method, url: url, accessToken: accessToken, nonce: nonce, at: config.now(),
      id: Base64URL.encode(SystemRandom.bytes(16)), signer: ProofSigner(key: key))
  }
}

/// Signs proofs with a device's key.
private struct ProofSigner: DPoPSigner {
  let key: any DeviceKey

  var algorithm: JWSAlgorithm { key.algorithm }
  var publicKey: JWK { key.publicKey }
  func signature(for message: [UInt8]) async throws -> [UInt8] { try await key.signature(for: message) }
}

extension OidcClientConfig {
  /// Sends a request, with the device's proof when the access token, or else the configuration, is bound to a key.
  ///
  /// - Parameter tokenType: the type of `accessToken`, which decides the scheme of the `Authorization` header.
  func sendProving(
    accessToken: String? = nil, tokenType: String? = nil, maximumBytes: Int, _ makeRequest: () -> Request
  ) async throws -> HttpResponse {
    let isBound = tokenType.map { $0.lowercased() == "dpop" } ?? (proofKey != nil)
    func request() -> Request {
      let request = makeRequest()
      if let accessToken {
        request.setHeader(
          name: Request.Constants.authorization, value: "\(isBound ? "DPoP" : "Bearer") \(accessToken)")
      }
      return request
    }
    guard isBound else { return try await send(request(), maximumBytes: maximumBytes) }
    guard let proofKey else {
      throw OidcError.authorizeError(
        message: "The token is bound to a key, and proofKey is not set any more.")
    }
    let key: any DeviceKey
    do { key = try await proofKey.proofKey() } catch {
      throw OidcError.authorizeError(
        cause: error,
        message: "The key that proves this device could not be used: \(error.localizedDescription)")
    }
    return try await ProofOfPossession(config: self, key: key)
      .send(accessToken: accessToken, maximumBytes: maximumBytes, request)
  }
}
