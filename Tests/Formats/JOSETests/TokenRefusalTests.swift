import Bytes
import JOSE
import StrictJSON
import Testing

@Suite("Tokens that are refused")
struct TokenRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let what: String
    let token: String
    let code: JOSEError.Code
    var testDescription: String { what }

    init(_ what: String, _ token: String, _ code: JOSEError.Code) {
      self.what = what
      self.token = token
      self.code = code
    }
  }

  private static let head = "eyJhbGciOiJFUzI1NiJ9"
  private static let tail = String(repeating: "A", count: 86)

  static let form = [
    Case("empty", "", .malformed),
    Case("one part", head, .malformed),
    Case("two parts", "\(head).e30", .malformed),
    Case("four parts", "\(head).e30.\(tail).e30", .malformed),
    Case("five parts, a JWE", "\(head).e30.e30.e30.e30", .malformed),
    Case("only dots", "..", .malformed),
    Case("empty header", ".e30.\(tail)", .malformed),
    Case("padding in the payload", "\(head).e30=.\(tail)", .malformed),
    Case("padding in the signature", "\(head).e30.\(tail)==", .malformed),
    Case("standard alphabet", "\(head).e30+.\(tail)", .malformed),
    Case("leading space", " \(head).e30.\(tail)", .malformed),
    Case("trailing line break", "\(head).e30.\(tail)\n", .malformed),
    Case("line break inside", "\(head).e3\n0.\(tail)", .malformed),
    Case("impossible length", "\(head).e30aa.\(tail)", .malformed),
    Case("spare bits in the payload", "\(head).e31.\(tail)", .malformed),
    Case("spare bits in the signature", "\(head).e30.\(tail.dropLast())B", .malformed),
    Case("a zero byte", "\(head).e30\0.\(tail)", .malformed),
    Case("not ASCII", "\(head).é30.\(tail)", .malformed),
    Case("a full-width dot", "\(head)．e30.\(tail)", .malformed),
    Case(
      "JSON serialization", #"{"payload":"e30","protected":"\#(head)","signature":"\#(tail)"}"#, .malformed),
    Case("too long", "\(head).\(String(repeating: "A", count: 16 * 1024)).\(tail)", .tooLarge),
  ]

  static let headers = [
    ("not JSON", "alg=ES256", JOSEError.Code.malformed),
    ("empty", "", .malformed),
    ("an array", #"["ES256"]"#, .malformed),
    ("a string", #""ES256""#, .malformed),
    ("null", "null", .malformed),
    ("trailing bytes", #"{"alg":"ES256"}x"#, .malformed),
    ("a second object", #"{"alg":"ES256"}{}"#, .malformed),
    ("duplicate alg", #"{"alg":"ES256","alg":"ES256"}"#, .malformed),
    ("duplicate alg by escape", #"{"alg":"ES256","\u0061lg":"HS256"}"#, .malformed),
    ("duplicate in jwk", #"{"alg":"ES256","jwk":{"kty":"EC","kty":"RSA"}}"#, .malformed),
    ("a comment", #"{"alg":"ES256"/**/}"#, .malformed),
    ("a byte-order mark", "\u{FEFF}{\"alg\":\"ES256\"}", .malformed),
    ("nested too deep", #"{"alg":"ES256","x":"# + String(repeating: "[", count: 99) + "]", .malformed),
    ("no alg", #"{"typ":"JWS"}"#, .unsupportedAlgorithm),
    ("alg null", #"{"alg":null}"#, .unsupportedAlgorithm),
    ("alg a list", #"{"alg":["ES256"]}"#, .unsupportedAlgorithm),
    ("none", #"{"alg":"none"}"#, .unsupportedAlgorithm),
    ("None", #"{"alg":"None"}"#, .unsupportedAlgorithm),
    ("NONE", #"{"alg":"NONE"}"#, .unsupportedAlgorithm),
    ("nOnE", #"{"alg":"nOnE"}"#, .unsupportedAlgorithm),
    ("lower case", #"{"alg":"es256"}"#, .unsupportedAlgorithm),
    ("trailing space", #"{"alg":"ES256 "}"#, .unsupportedAlgorithm),
    ("trailing zero", #"{"alg":"ES256\u0000"}"#, .unsupportedAlgorithm),
    ("ES384", #"{"alg":"ES384"}"#, .unsupportedAlgorithm),
    ("PS256", #"{"alg":"PS256"}"#, .unsupportedAlgorithm),
    ("EdDSA", #"{"alg":"EdDSA"}"#, .unsupportedAlgorithm),
    ("HS512", #"{"alg":"HS512"}"#, .unsupportedAlgorithm),
    ("crit", #"{"alg":"ES256","crit":["exp"],"exp":1}"#, .unsupportedExtension),
    ("empty crit", #"{"alg":"ES256","crit":[]}"#, .unsupportedExtension),
    ("crit null", #"{"alg":"ES256","crit":null}"#, .unsupportedExtension),
    ("crit by escape", #"{"alg":"ES256","\u0063rit":["b64"]}"#, .unsupportedExtension),
    ("crit with b64", #"{"alg":"ES256","b64":false,"crit":["b64"]}"#, .unsupportedExtension),
    ("b64", #"{"alg":"ES256","b64":false}"#, .unsupportedExtension),
  ].map { Case("header: \($0)", token(header: $1), $2) }

  @Test(arguments: form + headers)
  func `by their form or their header`(_ example: Case) throws {
    #expect(try refusal { _ = try UnverifiedJWS(compact: example.token) } == example.code)
  }

  @Test func `a header that is not UTF-8`() throws {
    let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8))
    #expect(try refusal { _ = try UnverifiedJWS(compact: "\(header).e30.AAAA") } == .malformed)
  }

  @Test func `a token as long as the limit passes, one byte more does not`() throws {
    let fixed = Self.head.utf8.count + 2 + Self.tail.utf8.count
    let compact = "\(Self.head).\(String(repeating: "A", count: 400)).\(Self.tail)"
    _ = try UnverifiedJWS(compact: compact, limits: JWSLimits(maximumBytes: fixed + 400))
    let code = try refusal {
      _ = try UnverifiedJWS(compact: compact, limits: JWSLimits(maximumBytes: fixed + 399))
    }
    #expect(code == .tooLarge)
  }

  @Test func `tokens with certificates have room for them`() throws {
    let payload = String(repeating: "A", count: 40_000)
    let compact = "\(Self.head).\(payload).\(Self.tail)"
    #expect(try refusal { _ = try UnverifiedJWS(compact: compact) } == .tooLarge)
    #expect(try UnverifiedJWS(compact: compact, limits: .withCertificates).payload.count == 30_000)
  }

  @Test(arguments: [#"{"alg":"ES256","kid":7,"typ":[],"jwk":"x"}"#])
  func `members of odd types have no meaning`(header: String) throws {
    let header = try UnverifiedJWS(compact: token(header: header)).header
    #expect(header.keyID == nil && header.type == nil && header.jwk == nil)
  }

  @Test func `an escaped name is the name`() throws {
    let header = try UnverifiedJWS(compact: token(header: #"{"\u0061lg":"\u0045S256","kid":"a\/b"}"#)).header
    #expect(header.algorithm == .es256)
    #expect(header.keyID == "a/b")
  }

  @Test(
    arguments: [
      "", "[]", "null", "1", #""x""#, #"{"sub":"a"}x"#, #"{"sub":"a","sub":"b"}"#,
      #"{"sub":"a","\u0073ub":"b"}"#,
      #"{"sub":"\uD800"}"#, "{",
      "{\"a\":\(String(repeating: "[", count: 40))\(String(repeating: "]", count: 40))}",
    ])
  func `claims are one strict JSON object`(payload: String) async throws {
    let secret = try SymmetricSecret([UInt8](repeating: 1, count: 32))
    let compact = try await JWS.compact(
      header: JWSHeader(algorithm: .hs256), payload: Array(payload.utf8), signer: HMACSigner(secret: secret))
    let verified = try UnverifiedJWS(compact: compact).verified(
      with: VerificationKey(secret: secret), allowing: [.hs256])
    #expect(try refusal { _ = try verified.claims() } == .malformed)
  }

  @Test func `a reason names the fault and shows nothing of the token`() throws {
    for example in Self.form + Self.headers {
      do {
        _ = try UnverifiedJWS(compact: example.token)
        Issue.record("\(example.what) was accepted")
      } catch {
        #expect(error.reason.count > 20 && !error.reason.contains(Self.tail))
        #expect(error.description == "\(error.code): \(error.reason)")
      }
    }
  }
}
