import HTTPTypes
import Testing

@testable import RestAPI
@testable import ServerHTTP

@Suite("Filters of sessions") struct SessionFilterTests {
  @Test func `session filters name a user and perhaps a realm`() throws {
    let both = try SessionFilter(#"username eq "a\"d a" and realm eq "/alpha""#)
    #expect(both.username == #"a"d a"#)
    #expect(both.realmPath == "/alpha")
    #expect(try SessionFilter(#"username eq "ada""#).realmPath == nil)
  }

  @Test(
    arguments: [
      "", "true", #"username eq ada"#, #"username eq "ada"#, #"username co "ada""#, #"realm eq "/""#,
      #""username""#,
      #"username eq "a" or realm eq "b""#, #"username eq "a" and username eq "b""#, #"username eq "a" and"#,
      #"mail eq "a""#, #"username eq "a\"#, #"username eq ""#,
    ])
  func `other session filters are refused`(text: String) {
    let refusal = #expect(throws: ErrorResponse.self) { try SessionFilter(text) }
    #expect(refusal?.status == .badRequest)
    #expect(refusal?.message.contains(#"_queryFilter=username eq "NAME""#) == true)
  }
}
