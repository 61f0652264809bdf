import AuthenticatorFixtures
import Concurrency
import Foundation
import HTTPTypes
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

extension LocalServer {
  /// The bundled journeys, on a server that browsers know as `https://example.com`.
  static func bundled(_ configuration: inout ServerConfiguration) {
    configuration.journeysDirectory = nil
    configuration.publicURL = "https://example.com/am"
  }

  /// What a browser on `https://example.com` sends along.
  static let browser = ["Origin": "https://example.com"]

  /// The step of `WebAuthnRegister` that asks the authenticator.
  func startRegistration(
    of name: String = "ada", headers: [String: String] = browser, journey: String = "WebAuthnRegister"
  ) async throws -> Answer {
    var headers = headers
    headers["X-OpenAM-Username"] = name
    headers["X-OpenAM-Password"] = "\(name)-password"
    return try await call(
      .post, "\(Self.alpha)/authenticate?authIndexType=service&authIndexValue=\(journey)", headers: headers)
  }

  /// The step of `WebAuthnSignIn` that asks the authenticator.
  func startSignIn(of name: String = "ada", headers: [String: String] = browser) async throws -> Answer {
    let step = try await start("WebAuthnSignIn")
    return try await call(
      .post, "\(Self.alpha)/authenticate", body: Self.reply(to: step, name), headers: headers)
  }

  func startUsernameless(headers: [String: String] = browser) async throws -> Answer {
    try await call(
      .post, "\(Self.alpha)/authenticate?authIndexType=service&authIndexValue=Usernameless", body: [:],
      headers: headers)
  }

  /// Posts an outcome into the hidden value of a metadata step.
  func answer(
    _ step: Answer, _ outcome: String, headers: [String: String] = browser
  ) async throws -> Answer {
    try await call(
      .post, "\(Self.alpha)/authenticate",
      body: [
        "authId": step["authId"] ?? .null,
        "callbacks": [
          [
            "type": "HiddenValueCallback",
            "input": [["name": "IDToken2", "value": .string(outcome)]],
          ]
        ],
      ], headers: headers)
  }

  /// Registers and goes past the recovery codes, which are returned.
  @discardableResult
  func register(
    _ authenticator: SoftAuthenticator, of name: String = "ada", headers: [String: String] = browser
  ) async throws -> [String] {
    let step = try await startRegistration(of: name, headers: headers)
    let codes = try await answer(
      step, try authenticator.register(challenge: step.challenge), headers: headers)
    let text = try #require(codes["callbacks"]?[0]?["output"]?[0]?["value"]?.stringValue)
    let end = try await call(
      .post, "\(Self.alpha)/authenticate",
      body: ["authId": codes["authId"] ?? .null, "callbacks": codes["callbacks"] ?? .null])
    #expect(end["tokenId"]?.stringValue != nil)
    return text.split(separator: "\n").map(String.init)
  }

  func logContains(_ text: String) -> Bool { log.withLock { $0.contains { $0.contains(text) } } }
}

extension Answer {
  /// The metadata of a WebAuthn step.
  var metadata: JSONValue? { json["callbacks"]?[0]?["output"]?[0]?["value"] }

  /// Its challenge, in standard Base64.
  var challenge: String { metadata?["challenge"]?.stringValue ?? "" }
}
