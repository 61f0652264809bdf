import Testing
import WebAuthnFormats

typealias RegistrationOutcome = ClientOutcome<RegistrationResponse>
typealias AssertionOutcome = ClientOutcome<AssertionResponse>

@Suite("Outcomes")
struct OutcomeTests {
  @Test(
    arguments: [
      ("unsupported", .unsupported),
      ("ERROR::NotAllowedError:user cancelled", .failed(ClientError(.notAllowed, "user cancelled"))),
      ("ERROR::UnknownError:", .failed(ClientError(.unknown))),
      ("ERROR::Strange:text", .failed(ClientError(.unknown, "Strange:text"))),
      ("ERROR::no name", .failed(ClientError(.unknown, "no name"))),
      (#"{"error":"TimeoutError:late"}"#, .failed(ClientError(.timeout, "late"))),
      (
        #"{"legacyData":"ERROR::AbortError:x","authenticatorAttachment":"platform"}"#,
        .failed(ClientError(.abort, "x"))
      ),
      (#"{"legacyData":"unsupported"}"#, .unsupported),
      (#"{"error":"DataError:both","legacyData":"unsupported"}"#, .failed(ClientError(.data, "both"))),
    ] as [(String, RegistrationOutcome)])
  func `errors are read in both forms`(text: String, outcome: RegistrationOutcome) throws {
    #expect(try RegistrationOutcome(parsing: text) == outcome)
  }

  @Test func `errors are written plainly`() throws {
    let outcome = RegistrationOutcome.failed(ClientError(.invalidState, "there already"))
    #expect(outcome.text(asJSON: true) == "ERROR::InvalidStateError:there already")
    #expect(RegistrationOutcome.unsupported.text(asJSON: true) == "unsupported")
  }

  @Test(
    arguments: [
      "", "webAuthnOutcome", "false", "{}", "{}::1", "{}::1::AA::name::more", "{}::1::AA::a::b::c",
      "{}::128::AA", "{}::-129::AA", "{}::1,,2::AA", "{}::1, 2::AA", "{}::+1::AA", "{}::01::AA", "{}::::AA",
      "{}::1::AA==", "{}::1::", "{}::1::A", "x::1::AA", "{}::1000::AA", "{}::--1::AA", "{}::1-::AA",
      #"{"legacyData":1}"#, #"{"authenticatorAttachment":"platform"}"#,
    ])
  func `what is not a registration is refused`(text: String) {
    #expect(throws: OutcomeError.self) { try RegistrationOutcome(parsing: text) }
  }

  @Test(arguments: ["{}::1::2", "{}::1::AA", "{}::1::2::AA::h::more"])
  func `what is not an assertion is refused`(text: String) {
    #expect(throws: OutcomeError.self) { try AssertionOutcome(parsing: text) }
  }

  @Test(
    arguments: [
      (#"{"appid":true}"#, true), (#"{"appid":true,"prf":{"enabled":true}}"#, true),
      (#"{"appid":false}"#, false), (#"{"appid":"true"}"#, false), (#"{"appid":1}"#, false),
      (#"{"appId":true}"#, false), ("{}", false), ("[]", false), ("true", false), ("null", false),
    ])
  func `that an AppID was used must be said in so many words`(results: String, isUsed: Bool) throws {
    let text = #"{"legacyData":"{}::1::2::AA","clientExtensionResults":\#(results)}"#
    let outcome = try AssertionOutcome(parsing: text)
    guard case .completed(let response, _) = outcome else { throw OutcomeMissing() }
    #expect(response.usedAppID == isUsed)
    #expect(outcome.text(asJSON: true).contains("appid") == isUsed)
    #expect(try AssertionOutcome(parsing: outcome.text(asJSON: true)) == outcome)
    let plain = try AssertionOutcome(parsing: outcome.text(asJSON: false))
    guard case .completed(let plainResponse, _) = plain else { throw OutcomeMissing() }
    #expect(!plainResponse.usedAppID)
    // A registration has none.
    let registration = try RegistrationOutcome(
      parsing: text.replacing("::2::AA", with: "::AA"))
    #expect(!registration.text(asJSON: true).contains("appid"))
  }

  struct OutcomeMissing: Error {}

  @Test func `client data may contain the separator`() throws {
    let json = #"{"origin":"http://[::1]:80"}"#
    let response = RegistrationResponse(
      clientDataJSON: Array(json.utf8), attestationObject: [0x80, 0x7F], credentialID: [1])
    #expect(response.text == json + "::-128,127::AQ")
    #expect(try RegistrationResponse(parsing: response.text) == response)
  }

  @Test func `an empty user handle is none`() throws {
    #expect(try AssertionResponse(parsing: "{}::1::2::AA::").userHandle == nil)
    #expect(try AssertionResponse(parsing: "{}::1::2::AA::ZGVtbw").userHandle == Array("ZGVtbw".utf8))
  }

  @Test(arguments: ["a::b", "::", ":::::", "a::::b"])
  func `a device name never makes further parts`(name: String) throws {
    let response = RegistrationResponse(
      clientDataJSON: Array("{}".utf8), attestationObject: [1], credentialID: [1], deviceName: name)
    #expect(try RegistrationResponse(parsing: response.text).deviceName?.contains("::") == false)
  }

  @Test func `very long values are refused without being read`() {
    #expect(throws: OutcomeError.self) {
      try RegistrationOutcome(parsing: String(repeating: "1,", count: 600_000))
    }
  }

  @Test func `all bytes go both ways`() {
    let all = Array(UInt8.min...UInt8.max)
    #expect(Int8List.decode(Int8List.encode(all)) == all)
  }
}
