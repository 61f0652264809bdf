import Testing
import WebAuthnFormats

@Suite("Client data")
struct ClientDataTests {
  @Test func `what the limited serialisation escapes, and what not`() throws {
    let data = ClientData(
      .get, challenge: [], origin: "https://\"\\/\u{1}\n\u{1f}\u{7f}é", crossOrigin: true,
      topOrigin: "https://t")
    #expect(
      String(decoding: data.json, as: UTF8.self)
        == #"{"type":"webauthn.get","challenge":"","origin":"https://\"\\/\u0001\u000a\u001f"#
        + "\u{7f}é" + #"","crossOrigin":true,"topOrigin":"https://t"}"#)
    #expect(try ClientData(parsing: data.json) == data)
  }

  @Test(
    arguments: [
      #"{"crossOrigin":false,"origin":"o","challenge":"AQ","type":"webauthn.get"}"#,
      #"{ "type" : "webauthn.get", "challenge":"AQ","origin":"o" }"#,
      #"{"type":"webauthn.get","challenge":"AQ","origin":"o","extra":{"a":[1]},"tokenBinding":{"status":"supported"}}"#,
      "\u{FEFF}" + #"{"type":"webauthn.get","challenge":"AQ","origin":"o"}"#,
      #"{"type":"webauthn\u002eget","challenge":"AQ","origin":"o"}"#,
    ])
  func `other forms are read`(text: String) throws {
    let data = try ClientData(parsing: Array(text.utf8))
    #expect(data.type == "webauthn.get")
    #expect(data.challengeBytes == [1])
    #expect(data.origin == "o")
    #expect(!data.crossOrigin)
    #expect(data.json == Array(text.utf8))
  }

  @Test(
    arguments: [
      "", "null", "[]", "{}", #"{"type":"webauthn.get","challenge":"AQ"}"#,
      #"{"type":1,"challenge":"AQ","origin":"o"}"#, #"{"type":"t","challenge":["AQ"],"origin":"o"}"#,
      #"{"type":"t","challenge":"AQ","origin":"o","crossOrigin":"false"}"#,
      #"{"type":"t","challenge":"AQ","origin":"o","topOrigin":null}"#,
      #"{"type":"t","challenge":"AQ","origin":"o","origin":"p"}"#,
      #"{"type":"t","challenge":"AQ","origin":"o"}x"#, #"{"type":"t","challenge":"AQ","origin":"o""#,
      String(repeating: "[", count: 1000),
      #"{"type":"t","challenge":"AQ","origin":"o","x":"\#(String(repeating: "x", count: 16 << 10))"}"#,
    ])
  func `what has no single meaning is refused`(text: String) {
    #expect(throws: ClientDataError.self) { try ClientData(parsing: Array(text.utf8)) }
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    #expect(throws: ClientDataError.self) { try ClientData(parsing: Array(#"{"type":""#.utf8) + [0xFF]) }
  }

  @Test func `a padded challenge has no bytes`() throws {
    let text = #"{"type":"t","challenge":"AQ==","origin":"o"}"#
    #expect(try ClientData(parsing: Array(text.utf8)).challengeBytes == nil)
  }
}
