import JourneyEngine
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Device Profile Collector node")
struct DeviceProfileNodeTests {
  private static let profile = """
    {"identifier":"d1","alias":"My phone","metadata":{"platform":{"platform":"Linux"}},\
    "location":{"latitude":48.1,"longitude":11.5,"accuracy":3},"more":1}
    """

  private func visit(_ properties: JSONObject = [:]) async throws -> Visit {
    try await World().visit("DeviceProfileCollectorNode", properties)
  }

  @Test func `asks as PingAM does`() async throws {
    var standard = try await visit()
    var asked = try #require(try await standard.ask().first)
    #expect(asked.type == "DeviceProfileCallback" && asked.inputs == [.init("", "")])
    #expect(asked.outputs == [.init("metadata", true), .init("location", false), .init("message", "")])
    var all = try await visit([
      "deviceMetadata": false, "deviceLocation": true, "message": ["en": "Looking", "de": "Moment"],
    ])
    all.request.locales = ["de"]
    asked = try #require(try await all.ask().first)
    #expect(
      asked.outputs == [.init("metadata", false), .init("location", true), .init("message", "Moment")])
  }

  @Test func `keeps what it asked for under PingAM's name, and nothing else`() async throws {
    var both = try await visit(["deviceLocation": true, "maximumSize": "3"])
    #expect(try await both.answer(["": .string(Self.profile)]) == .outcome("outcome"))
    #expect(
      both.state.shared["forgeRock.device.profile"] == [
        "identifier": "d1", "alias": "My phone", "metadata": ["platform": ["platform": "Linux"]],
        "location": ["latitude": 48.1, "longitude": 11.5],
      ])
    var neither = try await visit(["deviceMetadata": false])
    #expect(try await neither.answer(["": .string(Self.profile)]) == .outcome("outcome"))
    #expect(
      neither.state.shared["forgeRock.device.profile"] == ["identifier": "d1", "alias": "My phone"])
  }

  @Test func `goes on without what the person did not give, and the log says so`() async throws {
    var visit = try await visit(["deviceLocation": true])
    #expect(try await visit.answer(["": #"{"identifier":"d1","location":null}"#]) == .outcome("outcome"))
    #expect(visit.state.shared["forgeRock.device.profile"] == ["identifier": "d1"])
    #expect(visit.reasons == ["the client sent no metadata", "the client sent no location"])
  }

  @Test(arguments: [[:], ["": ""], ["": 5]] as [[String: JSONValue]])
  func `asks again for an empty answer`(inputs: [String: JSONValue]) async throws {
    var visit = try await visit()
    #expect(try visit.callbacks(of: await visit.answer(inputs)).count == 1)
    #expect(visit.state.shared["forgeRock.device.profile"] == nil)
  }

  @Test(arguments: [1, 3])
  func `takes as many bytes as it is set up for, and no more`(limit: Int64) async throws {
    let rest = #"{"identifier":"d1","metadata":{"x":""}}"#.utf8.count
    for (bytes, isTaken) in [(Int(limit) << 10, true), ((Int(limit) << 10) + 1, false)] {
      let filler = String(repeating: "x", count: bytes - rest)
      var visit = try await visit(["maximumSize": .integer(limit)])
      let answer: [String: JSONValue] = ["": .string(#"{"identifier":"d1","metadata":{"x":"\#(filler)"}}"#)]
      if isTaken {
        #expect(try await visit.answer(answer) == .outcome("outcome"))
      } else {
        await #expect(throws: NodeError.self) { try await visit.answer(answer) }
        #expect(visit.state.shared["forgeRock.device.profile"] == nil)
      }
    }
  }

  @Test(
    arguments: [
      "no JSON", "[]", #"{"identifier":5}"#, #"{"identifier":""}"#, #"{"identifier":"a\u001b[2K"}"#,
      #"{"identifier":"a","identifier":"b"}"#, #"{"alias":["x"]}"#,
      #"{"location":{"latitude":91,"longitude":0}}"#,
      #"{"location":{"latitude":"1","longitude":0}}"#, #"{"location":[1,2]}"#,
    ])
  func `refuses what is not a profile`(text: String) async throws {
    var visit = try await visit(["deviceLocation": true])
    await #expect(throws: NodeError.self) { try await visit.answer(["": .string(text)]) }
  }

  @Test(
    arguments: [("deviceLocation", "maybe"), ("deviceLocation", [:])] as [(String, JSONValue)])
  func `has properties that can be wrong`(name: String, value: JSONValue) async throws {
    let world = try await World()
    let error = try #require(throws: JourneyFileError.self) {
      try world.node("DeviceProfileCollectorNode", [name: value])
    }
    #expect(error.property == name)
  }
}
