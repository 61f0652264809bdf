import PushFormats
import StrictJSON
import Testing

@Suite("The reference's worked values")
struct VectorTests {
  @Test func `V1: the enrolment URI reads field by field, and writes itself again`() throws {
    let enrolment = try PushEnrolmentURI(parsing: Vectors.uri)
    #expect(enrolment.issuer == "Example Bank")
    #expect(enrolment.accountName == "bjensen")
    #expect(enrolment.loadBalancer == "amlbcookie=01")
    #expect(enrolment.userID == "bjensen")
    #expect(enrolment.resourceID == "6f1d2c3b-4a59-4877-9665-54433221100f1767225599000")
    #expect(enrolment.imageURL == "https://www.example.com/logo.png")
    #expect(enrolment.backgroundColor == "#032b75")
    #expect(enrolment.messageID == "REGISTER:0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d1767225600000")
    #expect(enrolment.challenge?.base64 == Vectors.registrationChallenge)
    #expect(enrolment.secret.base64 == Vectors.secretText)
    let endpoint = "https://am.example.com:8443/am/json/alpha/push/sns/message"
    #expect(enrolment.registrationURL.endpoint == endpoint)
    #expect(enrolment.registrationURL.description == endpoint + "?_action=register")
    #expect(enrolment.authenticationURL.description == endpoint + "?_action=authenticate")
    #expect(enrolment.ignoredParameters.isEmpty)
    #expect(enrolment.uri() == Vectors.uri)
  }

  @Test func `V2: the registration's response and token`() async throws {
    let secret = try Vectors.secret
    let challenge = try PushChallenge(base64: Vectors.registrationChallenge)
    #expect(secret.response(to: challenge) == Vectors.registrationResponse)
    #expect(secret.isResponse(Vectors.registrationResponse, to: challenge))
    let registration = PushRegistration(
      response: Vectors.registrationResponse, mechanismUID: Vectors.mechanismUID,
      address: PushDeviceAddress(
        deviceID: Vectors.deviceToken, deviceName: "Test Phone", deviceType: "ios",
        communicationType: "apns"))
    #expect(try PushRegistration(verifying: Vectors.registration, secret: secret) == registration)
    #expect(try await registration.token(secret: secret) == Vectors.registration)
  }

  @Test func `V3: a number challenge with every claim`() throws {
    let message = try UnverifiedPushMessage(Vectors.numberMessage).verified(with: Vectors.secret)
    #expect(message.mechanismUID == Vectors.mechanismUID)
    #expect(message.challenge.base64 == Vectors.authenticationChallenge)
    #expect(message.loadBalancer == "amlbcookie=01")
    #expect(message.text == "Login attempt from bjensen at Example Bank")
    #expect(message.type == .challenge)
    #expect(message.sentAtMilliseconds == 1_767_225_660_000)
    #expect(message.timeToLive == 120)
    #expect(message.username == "bjensen")
    #expect(message.customPayload == "{}")
    #expect(message.contextInfo == #"{"remoteIp":"203.0.113.7","userAgent":"Mozilla/5.0"}"#)
    #expect(message.numbers == [17, 42, 80])
    #expect(message.codeLength == nil)
    #expect(message.additional.isEmpty)
  }

  @Test func `V4: a minimal message gets the defaults`() throws {
    let message = try UnverifiedPushMessage(Vectors.minimalMessage).verified(with: Vectors.secret)
    #expect(message.type == .default)
    #expect(message.timeToLive == 120)
    #expect(message.sentAtMilliseconds == nil)
    #expect(message.numbers.isEmpty)
  }

  @Test func `V4: another key's signature is refused`() throws {
    let start = Vectors.minimalMessage.prefix(
      upTo: try #require(Vectors.minimalMessage.lastIndex(of: ".")))
    let forged = start + ".vcgnwrfscwYDTG4ZQzWyeASojGl2DoxJIYiXWPIPXF8"
    let message = try UnverifiedPushMessage(String(forged))
    #expect(refusal { _ = try message.verified(with: Vectors.secret) } == .invalidSignature)
  }

  @Test func `V4: an unsigned message is refused`() throws {
    let payload = Vectors.minimalMessage.split(separator: ".")[1]
    #expect(
      refusal { _ = try UnverifiedPushMessage("eyJhbGciOiJub25lIn0.\(payload).") }
        == .invalidSignature)
  }

  @Test func `V5: the three answers`() async throws {
    let secret = try Vectors.secret
    let challenge = try PushChallenge(base64: Vectors.authenticationChallenge)
    let response = secret.response(to: challenge)
    #expect(response == Vectors.authenticationResponse)
    for (answer, token) in [
      (PushAnswer(response: response), Vectors.approval),
      (PushAnswer(response: response, isDenied: true), Vectors.denial),
      (PushAnswer(response: response, challengeResponse: "80"), Vectors.number80),
    ] {
      #expect(try PushAnswer(verifying: token, secret: secret) == answer)
      // Members are in another order in one vector, so the tokens are compared by what they say.
      #expect(
        try PushAnswer(verifying: await answer.token(secret: secret), secret: secret) == answer)
    }
    #expect(try await PushAnswer(response: response).token(secret: secret) == Vectors.approval)
  }

  @Test func `V6: the refresh`() async throws {
    let refresh = PushRefresh(
      mechanismUID: Vectors.mechanismUID,
      address: PushDeviceAddress(
        deviceID: String(repeating: "f", count: 64), deviceName: "Test Phone", deviceType: "ios",
        communicationType: "apns"))
    #expect(try PushRefresh(verifying: Vectors.refresh, secret: Vectors.secret) == refresh)
    #expect(try await refresh.token(secret: Vectors.secret) == Vectors.refresh)
    let body = PushRefreshBody(
      mechanismUID: Vectors.mechanismUID, username: "bjensen", jwt: Vectors.refresh)
    #expect(try PushRefreshBody(parsing: body.serialized) == body)
    #expect(try JSONValue(parsing: body.serialized)["username"] == "bjensen")
  }
}

/// The code of the ``PushFormatError`` that `body` throws; `nil` when it throws none.
func refusal(_ body: () throws -> Void) -> PushFormatError.Code? {
  do { try body() } catch { return (error as? PushFormatError)?.code }
  return nil
}
