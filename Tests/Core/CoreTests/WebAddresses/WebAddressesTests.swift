import PingNetwork
import Testing
import WebAddresses

@Suite struct WebAddressesTests {
  @Test(
    arguments: [
      ("https://Example.com/am?x#y", "https://example.com"),
      ("HTTPS://example.com:443", "https://example.com"),
      ("https://example.com:8443/am", "https://example.com:8443"),
      ("http://127.0.0.1:8080/am", "http://127.0.0.1:8080"),
      ("http://[::1]:80/", "http://[::1]"), ("https://bücher.example", "https://xn--bcher-kva.example"),
      ("https://ＢＡＮＫ．example", "https://bank.example"), ("https://日本語。jp", "https://xn--wgv71a119e.jp"),
      ("https://user@example.com", nil), ("https://example.com\\@evil.example", nil), ("https://", nil),
      ("ftp://example.com", nil), ("https://example.com:", nil), ("https://example.com:99999", nil),
      ("https://exa mple.com", nil), ("https://example..com", nil), ("https://example.com.", nil),
      ("http://0x7f.1", nil), ("http://127.1", nil), ("http://0177.0.0.1", nil), ("http://2130706433", nil),
      ("http://[::1", nil), ("https://ex\u{AD}ample.com", nil), ("https://ex\u{202E}ample.com", nil),
    ] as [(String, String?)])
  func `origins of addresses`(address: String, origin: String?) {
    #expect(WebOrigin(address: address)?.description == origin)
  }

  @Test func `an origin is nothing but an origin`() {
    #expect(WebOrigin("https://example.com")?.description == "https://example.com")
    for text in ["https://example.com/", "https://example.com?", "https://example.com#", "example.com"] {
      #expect(WebOrigin(text) == nil, "\(text)")
    }
  }

  @Test func `labels in Punycode (RFC 3492 §7.1)`() {
    for (name, ascii) in [
      ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
      ("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
      ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"), ("bücher", "xn--bcher-kva"),
    ] {
      #expect(DomainName(name)?.ascii == ascii)
    }
    #expect(DomainName(String(repeating: "ü", count: 64)) == nil)
    #expect(DomainName(String(repeating: "a.", count: 126) + "b")?.ascii.utf8.count == 253)
    #expect(DomainName(String(repeating: "a.", count: 127) + "b") == nil)
  }

  @Test(
    arguments: [
      ("https://example.com/am", true), ("http://localhost:8080/am", true), ("http://127.0.0.1/am", true),
      ("http://127.9.9.9", true), ("HTTP://[::1]:8080", true), ("http://example.com/am", false),
      ("HTTP://example.com", false), ("http://127.0.0.1.example.com", false),
      ("http://localhost.example.com", false),
      ("http://localhost@example.com", false), ("http://127.1", false), ("http://10.0.2.2:8080", false),
      ("http://a.localhost", false), ("http:///", false), ("http:example.com", false),
    ])
  func `plain HTTP needs this machine, or the app's permission`(address: String, isAllowed: Bool) throws {
    if isAllowed {
      try PlainHTTP.checkMachine(address, isAllowed: false)
    } else {
      #expect(throws: InsecureAddressError.self) { try PlainHTTP.checkMachine(address, isAllowed: false) }
    }
    try PlainHTTP.checkMachine(address, isAllowed: true)
  }

  @Test func `the addresses of this machine have one name`() {
    for host in ["127.0.0.1", "127.0.0.2", "[::1]", "localhost"] {
      #expect(
        WebOrigin(address: "http://\(host):8080/am")?.namingLoopback.description == "http://localhost:8080")
    }
    #expect(WebOrigin(address: "http://10.0.0.1")?.namingLoopback.description == "http://10.0.0.1")
    #expect(WebOrigin(address: "http://127.0.0.1")?.domain == nil)
  }
}
