import HTTPTypes
import Testing

@testable import ServerHTTP

@Suite("Queries") struct QueryParametersTests {
  @Test func `a query is decoded once, and its names are case-sensitive`() throws {
    let query = try QueryParameters("a=1&b=x%20y+z&a=2&c&D=%2525&=e")
    #expect(query["a"] == "1")
    #expect(query["b"] == "x y z")
    #expect(query["c"] == "")
    #expect(query["d"] == nil)
    #expect(query["D"] == "%25")
    let refusal = #expect(throws: ErrorResponse.self) { try QueryParameters("a=%ff") }
    #expect(refusal?.status == .badRequest && refusal?.message.contains("percent-encoding") == true)
  }
}
