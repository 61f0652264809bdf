import CommonFixtures
import Bytes
import PushFormats
import StrictJSON
import Testing

private let withoutSignature =
  Vectors.minimalMessage.split(separator: ".").prefix(2).joined(separator: ".") + "."

private let noTokens: [String] = [
  "", ".", "..", "a..b", "a.b", "a.b.c.d", "...", "\(Vectors.minimalMessage).",
  ".\(Vectors.minimalMessage)",
  "\(Vectors.minimalMessage)=", " \(Vectors.minimalMessage)",
  withoutSignature,
  String(repeating: "a", count: 100_000),
]

@Suite("Tokens: faults and odd forms")
struct TokenFaultTests {
  @Test func `a denial carries its reason, an approval none`() async throws {
    let answer = PushAnswer(response: Vectors.authenticationResponse, isDenied: true, reason: "It was not me")
    let token = try await answer.token(secret: Vectors.secret)
    #expect(try PushAnswer(verifying: token, secret: Vectors.secret) == answer)
    let approval = PushAnswer(response: Vectors.authenticationResponse, reason: "unused")
    #expect(
      try PushAnswer(verifying: await approval.token(secret: Vectors.secret), secret: Vectors.secret).reason
        == nil)
    let long = PushAnswer(response: "r", isDenied: true, reason: String(repeating: "x", count: 10_000))
    #expect(long.reason?.count == PushFormatLimits.reasonCharacters)
  }

  @Test(arguments: noTokens)
  func `V4: what is no signed token is refused`(token: String) throws {
    let secret = try Vectors.secret
    #expect(refusal { _ = try UnverifiedPushMessage(token).verified(with: secret) } != nil)
    #expect(refusal { _ = try PushAnswer(verifying: token, secret: secret) } != nil)
    #expect(refusal { _ = try PushRegistration(verifying: token, secret: secret) } != nil)
    #expect(refusal { _ = try PushRefresh(verifying: token, secret: secret) } != nil)
    #expect(refusal { _ = try PushFetch(verifying: token, secret: secret) } != nil)
  }

  @Test(
    arguments: [
      #"{"alg":"none"}"#, #"{"alg":"None","typ":"JWT"}"#, #"{"alg":"HS512"}"#, #"{"alg":"ES256"}"#,
      #"{"typ":"JWT"}"#,
      #"{}"#, "[]", "x",
    ])
  func `other algorithms are refused, none above all`(header: String) {
    let parts = Vectors.minimalMessage.split(separator: ".")
    for signature in [String(parts[2]), ""] {
      let token = "\(Base64URL.encode(header.utf8)).\(parts[1]).\(signature)"
      #expect(refusal { _ = try UnverifiedPushMessage(token).verified(with: Vectors.secret) } != nil)
    }
  }

  @Test func `a token is good for one purpose: no answer opens an inbox, no registration answers`() throws {
    let secret = try Vectors.secret
    for token in [Vectors.approval, Vectors.registration, Vectors.refresh] {
      #expect(refusal { _ = try PushFetch(verifying: token, secret: secret) } != nil)
      #expect(refusal { _ = try UnverifiedPushMessage(token).verified(with: secret) } != nil)
    }
    for token in [Vectors.registration, Vectors.refresh, Vectors.minimalMessage] {
      #expect(refusal { _ = try PushAnswer(verifying: token, secret: secret) } != nil)
    }
    for token in [Vectors.approval, Vectors.refresh, Vectors.minimalMessage] {
      #expect(refusal { _ = try PushRegistration(verifying: token, secret: secret) } != nil)
    }
  }

  @Test(
    arguments: [
      (#"{"t":"60","i":"1767225660000"}"#, 60, 1_767_225_660_000),
      (#"{"t":60,"i":1767225660000}"#, 60, 1_767_225_660_000),
      (#"{"t":60.5}"#, 60, nil), (#"{"t":"soon","i":"then"}"#, 120, nil), (#"{"t":-1}"#, 0, nil),
      (#"{"t":null}"#, 120, nil),
      (#"{"t":true}"#, 120, nil), (#"{"t":"1e400"}"#, 120, nil),
    ] as [(String, Int, Int64?)])
  func `claims in the forms that servers write them`(claims: String, ttl: Int, sent: Int64?) async throws {
    let message = try await message(claims)
    #expect(message.timeToLive == ttl && message.sentAtMilliseconds == sent)
  }

  @Test(
    arguments: [
      ("CHALLENGE", PushMessageType.challenge), ("Biometric", .biometric), ("code", .default), ("", .default),
    ])
  func `types in any case, unknown ones are the default`(name: String, type: PushMessageType) async throws {
    #expect(try await message(#"{"k":"\#(name)"}"#).type == type)
  }

  @Test func `odd claims are left out or kept as text`() async throws {
    #expect(try await message(#"{"l":"!!"}"#).loadBalancer == nil)
    // A line break would begin a header of its own.
    #expect(try await message(#"{"l":"YQpi"}"#).loadBalancer == nil)
    #expect(try await message(#"{"p":{"a":[1]}}"#).customPayload == #"{"a":[1]}"#)
    #expect(try await message(#"{"n":" 1 ,x, 22"}"#).numbers == [1, 22])
    #expect(try await message(#"{"codeLength":"6"}"#).codeLength == 6)
    #expect(try await message(#"{"codeLength":99}"#).codeLength == nil)
    let message = try await message(#"{"zero":0,"yes":true}"#)
    #expect(message.additional["zero"] == 0 && message.additional["yes"] == true)
  }

  /// A verified message of the minimal claims and `extra`.
  private func message(_ extra: String) async throws -> PushMessage {
    var message = PushMessage(
      mechanismUID: "u", challenge: try PushChallenge(base64: Vectors.authenticationChallenge))
    // Claims that the type would write itself are given to a message that has none of them, by signing as an answer.
    message.additional = JSONObject()
    let base = message.claims.filter { ["u", "c"].contains($0.name) }.map { ($0.name, $0.value) }
    var claims = JSONObject(base)
    claims.merge(try #require(try JSONValue(parsing: extra).objectValue))
    let token = try sign(claims.serialized)
    return try UnverifiedPushMessage(token).verified(with: Vectors.secret)
  }

  private func sign(_ payload: [UInt8]) throws -> String {
    let head = Base64URL.encode(#"{"typ":"JWT","alg":"HS256"}"#.utf8)
    let input = "\(head).\(Base64URL.encode(payload))"
    // The answer to a challenge is the same HMAC; a challenge has at most 256 bytes, which is enough here.
    let mac = try Vectors.secret.response(to: PushChallenge(Array(input.utf8)))
    return "\(input).\(Base64URL.encode(LenientBase64.decode(mac) ?? []))"
  }

  @Test func `freshness of a fetch, at its bounds and beyond all numbers`() {
    let fetch = PushFetch(mechanismUID: "u", issuedAt: 1000)
    #expect(
      fetch.isFresh(at: 940) && fetch.isFresh(at: 1060) && !fetch.isFresh(at: 939) && !fetch.isFresh(at: 1061)
    )
    #expect(!PushFetch(mechanismUID: "u", issuedAt: .min).isFresh(at: .max))
    #expect(!PushFetch(mechanismUID: "u", issuedAt: .max).isFresh(at: .min))
  }

  @Test func `bodies: what is not there or no text is refused`() {
    for text in [
      "", "[]", "{}", #"{"messageId":1,"jwt":"x"}"#, #"{"messageId":"m"}"#, #"{"messageId":"","jwt":"x"}"#,
    ] {
      #expect(refusal { _ = try PushAnswerBody(parsing: Array(text.utf8)) } != nil)
      #expect(refusal { _ = try PushRefreshBody(parsing: Array(text.utf8)) } != nil)
      #expect(refusal { _ = try DeliveredPushMessage(parsing: Array(text.utf8)) } != nil)
    }
    #expect(refusal { _ = try PushPollAnswer(parsing: Array("{}".utf8)) } == .missing)
    let answer = try? PushPollAnswer(
      parsing: Array(#"{"messages":[1,{"messageId":"m","message":"x"},{}]}"#.utf8))
    #expect(answer?.messages == [DeliveredPushMessage(messageID: "m", message: "x")])
  }

  // MARK: Mutations

  private func mutated(_ text: String, _ generator: inout SeededGenerator) -> String {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0x20...0x7E, using: &generator)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8.random(in: 0...0x7F, using: &generator), at: place)
      default: bytes.replaceSubrange(place..., with: bytes[place...].reversed())
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a changed token never verifies`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let secret = try Vectors.secret
    for _ in 0..<500 {
      let token = mutated(Vectors.numberMessage, &generator)
      guard token != Vectors.numberMessage else { continue }
      #expect(refusal { _ = try UnverifiedPushMessage(token).verified(with: secret) } != nil)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a changed address is read or refused, and what is read is written and read again`(seed: UInt64) throws
  {
    var generator = SeededGenerator(seed: seed)
    var read = 0
    for _ in 0..<500 {
      guard let enrolment = try? PushEnrolmentURI(parsing: mutated(Vectors.uri, &generator)) else { continue }
      read += 1
      let again = try PushEnrolmentURI(parsing: enrolment.exportURI)
      #expect(again.accountName == enrolment.accountName && again.secret == enrolment.secret)
      #expect(again.registrationURL.endpoint == enrolment.registrationURL.endpoint)
    }
    #expect(read > 0)
  }
}
