import JourneyEngine
import JourneyNodes
import StrictJSON
import Testing

/// Profiles as clients sent them before they said their version, and as they send them now.
@Suite("Forms of device profiles")
struct DeviceProfileFormsTests {
  private static func profile(_ locale: JSONValue) -> JSONValue {
    ["identifier": "d1", "metadata": ["platform": ["platform": "Linux", "locale": locale]]]
  }

  @Test func `a profile with its version is taken like one without`() async throws {
    let world = try await World()
    for members in ["", #""version":"1.0","#, #""version":2,"#] {
      var collect = try world.visit("DeviceProfileCollectorNode")
      let text = "{\(members)\"identifier\":\"d1\",\"metadata\":{\"platform\":{\"locale\":\"en\"}}}"
      #expect(try await collect.answer(["": .string(text)]) == .outcome("outcome"))
      #expect(
        collect.state.shared["forgeRock.device.profile"] == [
          "identifier": "d1", "metadata": ["platform": ["locale": "en"]],
        ])
    }
  }

  @Test(
    arguments: [
      ("en_GB", "en", true), ("en", "en_GB", true), ("de_DE", "de", true), ("en-GB", "en", true),
      ("en", "en", true),
      ("en_GB", "en_US", false), ("en_GB", "de", false), ("en", "eng_GB", false), ("en", 1, false),
      ("en", nil, false),
    ] as [(JSONValue, JSONValue?, Bool)])
  func `a saved language with its region is the language alone`(
    saved: JSONValue, now: JSONValue?, isSame: Bool
  )
    async throws
  {
    let world = try await World()
    var state = JourneyState(username: "mira")
    state.shared["forgeRock.device.profile"] = Self.profile(saved)
    var save = try world.visit("DeviceSaveNode", state: state)
    #expect(try await save.evaluate() == .outcome("outcome"))
    var match = try world.visit("DeviceMatchNode", state: state)
    match.state.shared["forgeRock.device.profile"] =
      now.map(Self.profile) ?? ["identifier": "d1", "metadata": ["platform": ["platform": "Linux"]]]
    #expect(try await match.evaluate() == .outcome(isSame ? "true" : "false"))
  }

  @Test func `numbers are saved as the client has written them`() async throws {
    let world = try await World()
    let text = """
      {"identifier":"d1","metadata":{"hardware":{"battery":1.0,"cpu":8}},"location":{"latitude":52,"longitude":0.0}}
      """
    var collect = try world.visit("DeviceProfileCollectorNode", ["deviceLocation": true])
    collect.state.username = "mira"
    #expect(try await collect.answer(["": .string(text)]) == .outcome("outcome"))
    var save = try world.visit("DeviceSaveNode", ["saveDeviceLocation": true], state: collect.state)
    #expect(try await save.evaluate() == .outcome("outcome"))
    var match = try world.visit("DeviceMatchNode", state: collect.state)
    #expect(try await match.evaluate() == .outcome("true"))
  }
}
