import Bytes
import CommonFixtures
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import OATH
import ProofFixtures
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

/// A phone that was made from an enrolment URI: it makes one-time codes, and answers the enrolment of push.
struct CodePhone: Sendable {
  let scheme: String
  let parameters: [String: String]

  /// Names of the parameters in the URI's order.
  let names: [String]
  let password: OneTimePassword

  init(uri: String) throws {
    let components = try #require(URLComponents(string: uri))
    let items = components.queryItems ?? []
    var parameters: [String: String] = [:]
    for item in items { parameters[item.name] = item.value }
    let enrolment = try OATHEnrolmentParameters(host: components.host ?? "") { parameters[$0] }
    scheme = components.scheme ?? ""
    names = items.map(\.name)
    self.parameters = parameters
    password = OneTimePassword(secret: enrolment.secret, profile: enrolment.profile)
  }

  /// The code that it shows `offset` time steps from now.
  func code(_ server: LocalServer, _ offset: Int = 0) throws -> String {
    let step = try #require(password.profile.factor.step(at: server.clock.now.timeIntervalSince1970))
    return password.code(at: UInt64(Int(step) + offset))
  }

  /// Answers the enrolment.
  func registerForPush(at server: LocalServer) async throws {
    let secret = try #require(Base64URL.decode(parameters["s"] ?? ""))
    let challenge = try #require(Base64URL.decode(parameters["c"] ?? ""))
    let response = Data(HMAC<SHA256>.authenticationCode(for: challenge, using: SymmetricKey(data: secret)))
    let jwt = try Tokens.hs256(
      [
        "response": .string(response.base64EncodedString()), "mechanismUid": .string(UUID().uuidString),
        "deviceId": "token", "deviceType": "linux", "communicationType": "poll", "deviceName": "Phone",
      ], secret: secret)
    let answer = try await server.call(
      .post, "\(LocalServer.alpha)/push/sns/message?_action=register",
      body: ["messageId": .string(try #require(parameters["m"])), "jwt": .string(jwt)])
    #expect(answer.status == 200)
  }
}

extension LocalServer {
  static func runOath(body: @Sendable (LocalServer) async throws -> Void) async throws {
    try await run(.router, { $0.publicURL = "https://id.example.com/am" }, body: body)
  }

  /// The journey's step after name and password.
  func afterPassword(_ journey: String, as name: String = "ada") async throws -> Answer {
    try await post(Self.reply(to: try await start(journey), name, "\(name)-password"))
  }

  func post(_ body: JSONValue) async throws -> Answer {
    try await call(.post, "\(Self.alpha)/authenticate", body: body)
  }

  /// Posts the step back as it came, after its waiting time.
  func goOn(_ step: Answer, after seconds: TimeInterval = 2) async throws -> Answer {
    clock.advance(by: seconds)
    return try await post(["authId": step["authId"] ?? .null, "callbacks": step["callbacks"] ?? .null])
  }

  /// What the whole journey `OathSignIn` answers to that code.
  func signIn(code: String, as name: String = "ada") async throws -> Answer {
    try await post(Self.reply(to: try await afterPassword("OathSignIn", as: name), code, "0"))
  }

  /// The URI of the registration under way.
  func enrolmentURI(_ step: Answer) throws -> String {
    let hidden = step["callbacks"]?.arrayValue?.first { $0["type"] == "HiddenValueCallback" }
    let outputs = hidden?["output"]?.arrayValue ?? []
    #expect(outputs.contains { $0["name"] == "id" && $0["value"] == "mfaDeviceRegistration" })
    return try #require(outputs.first { $0["name"] == "value" }?["value"]?.stringValue)
  }

  /// A phone of the user, registered by the bundled journey, and its recovery codes.
  func enrolledPhone(as name: String = "ada") async throws -> (phone: CodePhone, recoveryCodes: [String]) {
    let step = try await afterPassword("CombinedRegister", as: name)
    let phone = try CodePhone(uri: try enrolmentURI(step))
    try await phone.registerForPush(at: self)
    let shown = try await goOn(step)
    let text = shown["callbacks"]?[0]?["output"]?[0]?["value"]?.stringValue ?? ""
    #expect(try await goOn(shown)["tokenId"] != nil)
    return (phone, text.split(separator: "\n").map(String.init))
  }
}
