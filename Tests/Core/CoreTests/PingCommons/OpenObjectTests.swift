import Foundation
import PingCommons
import Testing

@Suite("Objects whose members nobody knows")
struct OpenObjectTests {
  private struct Open: Decodable {
    let members: [String: any Sendable]

    init(from decoder: any Decoder) throws {
      members = try decoder.container(keyedBy: JSONCodingKeys.self).decode([String: any Sendable].self)
    }
  }

  @Test func `there was no way to decode an object without a key`() throws {
    let read = try JSONDecoder().decode(Open.self, from: Data(#"{"a":1,"b":{"c":[true]}}"#.utf8))
    #expect(read.members["a"] as? Int == 1)
    #expect(((read.members["b"] as? [String: any Sendable])?["c"] as? [any Sendable])?.first as? Bool == true)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Open.self, from: Data("[1]".utf8)) }
  }
}
