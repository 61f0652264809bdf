import Testing
import WebAuthnVerification

@Suite("Origins")
struct OriginPolicyTests {
  static let policy = OriginPolicy([
    "https://example.com", "https://port.example:8443", "http://localhost:80", "https://[::1]:443",
    "ios:bundle-id:com.example.app", "android:apk-key-hash:2jmj7l5rSw0yVb_vlWAYkK_YBwk",
  ])

  @Test(
    arguments: [
      "https://example.com", "https://example.com:443", "HTTPS://EXAMPLE.com", "https://port.example:8443",
      "http://localhost", "http://localhost:80", "https://[::1]", "ios:bundle-id:com.example.app",
      "android:apk-key-hash:2jmj7l5rSw0yVb_vlWAYkK_YBwk",
    ])
  func `what is the same is allowed`(origin: String) { #expect(Self.policy.allows(origin)) }

  @Test(
    arguments: [
      "", "null", "https://", "https://example.com/", "https://example.com:8443", "http://example.com",
      "http://example.com:443", "https://sub.example.com", "https://example.com.evil.net",
      "https://evilexample.com",
      "https://example.com?", "https://example.com#", "https://user@example.com", "https://example.com:",
      "https://example.com:00443x", "https://example.com:65979", "https://example.com\\@evil.net",
      "https://port.example", "ios:bundle-id:com.example.app/", "IOS:bundle-id:com.example.app",
      "ios:bundle-id:com.example.App", "android:apk-key-hash:2jmj7l5rSw0yVb_vlWAYkK_YBwK",
      "https://example.com\u{301}",
      " https://example.com", "wss://example.com",
    ])
  func `what is not is refused`(origin: String) { #expect(!Self.policy.allows(origin)) }

  @Test func `nothing is allowed without origins`() {
    #expect(!OriginPolicy([]).allows("https://example.com"))
    #expect(!OriginPolicy(["https://example.com"]).allowsTop("https://example.com"))
  }
}
