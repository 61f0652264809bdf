import Bytes
import Testing

@testable import ServerHTTP

@Suite("Session tokens") struct SessionTokenTests {
  @Test func `a token has 32 random bytes and a recognisable form, and shows itself to nobody`() throws {
    let bytes = Array(UInt8(0)..<32)
    let token = SessionToken { Array(bytes.prefix($0)) }
    #expect(token.text == "sst_" + Base64URL.encode(bytes))
    #expect(token.text.utf8.count == 47)
    var dumped = ""
    dump(token, to: &dumped)
    #expect("\(token)" == "SessionToken(redacted)" && String(reflecting: token) == "\(token)")
    #expect(!dumped.contains(token.text))
    #expect(try #require(SessionToken(presented: token.text)).hash == token.hash)
    #expect(SessionToken { [UInt8](repeating: 1, count: $0) }.hash != token.hash)
    #expect(SessionToken(presented: token.text + "x") == nil)
    #expect(SessionToken(presented: "") == nil)
  }
}
