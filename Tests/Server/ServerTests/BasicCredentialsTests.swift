import Bytes
import Testing

@testable import ServerHTTP

@Suite("HTTP Basic")
struct BasicCredentialsTests {
  @Test(
    arguments: [
      ("ada:secret", "ada", "secret"), ("ada:se:cret", "ada", "se:cret"), (":", "", ""), ("a:", "a", ""),
      // A mark that combines with the colon belongs to the secret.
      ("ada:\u{301}secret", "ada", "\u{301}secret"), ("a:\u{200D}b:c", "a", "\u{200D}b:c"),
    ])
  func `the id ends at the first colon, whatever follows it`(text: String, id: String, secret: String) {
    let credentials = BasicCredentials(authorization: "bAsIc \(PaddedBase64.encode(text.utf8))")
    #expect(credentials?.id == id)
    #expect(credentials?.secret.reveal().utf8.elementsEqual(secret.utf8) == true)
  }

  @Test(
    arguments: [
      "", "Basic", "Basic ", "Bearer YTpi", "Basic YTpi YTpi", "Basic YTpi=", "Basic YTp", "Basic gICA",
      "Basic YWI=",
      "Basic " + PaddedBase64.encode((String(repeating: "a", count: 1024) + ":").utf8),
    ])
  func `anything else is not read`(header: String) {
    #expect(BasicCredentials(authorization: header) == nil)
  }
}
