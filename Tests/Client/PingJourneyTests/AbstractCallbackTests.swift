import Foundation
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import Testing

@Suite("Callbacks of apps and modules")
struct AbstractCallbackTests {
  private final class Plain: AbstractCallback, @unchecked Sendable {}

  private func plain(_ json: String) throws -> Plain {
    let callback = Plain()
    _ = callback.initialize(with: try object(json)) as any Callback
    return callback
  }

  @Test func `the id stays the same, and differs from other callbacks' ids`() {
    let callback = Plain()
    #expect(callback.id == callback.id)
    #expect(callback.id != Plain().id)
  }

  @Test func `input fills the first inputs and leaves the others as received`() throws {
    let callback = try plain(#"{"input":[{"name":"a","value":1},{"name":"b","value":2},{"value":3}]}"#)
    let expected = #"{"input":[{"name":"a","value":"x"},{"name":"b","value":2},{"name":"","value":3}]}"#
    #expect(try text(callback.input("x")) == expected)
    #expect(try text(callback.payload()) == expected)
  }

  @Test func `input takes every JSON value, and leaves the input as received for others`() throws {
    let callback = try plain(
      #"{"input":[{"name":"a","value":0},{"name":"b","value":0},{"name":"c","value":0}]}"#)
    #expect(
      try text(callback.input(["k": [true, 1.5]], Date(), "z"))
        == #"{"input":[{"name":"a","value":{"k":[true,1.5]}},{"name":"b","value":0},{"name":"c","value":"z"}]}"#
    )
  }

  @Test func `input by name changes that entry only; an unknown name changes nothing`() throws {
    let callback = try plain(
      #"{"input":[{"name":"IDToken1jws","value":""},{"name":"IDToken1clientError","value":""}]}"#)
    _ = callback.input("Abort", forKey: "IDToken1clientError")
    _ = callback.input("x", forKey: "nothing")
    #expect(
      try text(callback.payload())
        == #"{"input":[{"name":"IDToken1jws","value":""},{"name":"IDToken1clientError","value":"Abort"}]}"#)
  }

  @Test func `without inputs the callback stays as received`() throws {
    #expect(try text(plain(#"{"type":"x"}"#).input("y")) == #"{"type":"x"}"#)
  }

  @Test func `a callback may be answered from several tasks at once`() async throws {
    let callback = NameCallback()
    callback.json = try object(#"{"input":[{"name":"a","value":""}]}"#)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          callback.name = "\(number)"
          #expect(callback.payload()["input"] != nil)
        }
      }
    }
  }

  @Test func `a type that implements only the synchronous initialize is read by the asynchronous one`() async
  {
    final class Reader: Callback {
      let id = "reader"
      func initialize(with json: [String: Any]) -> any Callback { Other() }
      func payload() -> [String: Any] { [:] }
    }
    final class Other: Callback {
      let id = "other"
      func payload() -> [String: Any] { [:] }
    }
    let callback = await Reader().initialize(with: [:])
    #expect(callback is Other)
    // Implementing neither ends too.
    let same = await Other().initialize(with: [:])
    #expect(same is Other)
  }

  @Test func `a type that implements only the asynchronous initialize is read by it`() async {
    final class Reader: Callback {
      let id = "reader"
      func initialize(with json: [String: Any]) async -> any Callback { NameCallback() }
      func payload() -> [String: Any] { [:] }
    }
    #expect(await Reader().initialize(with: [:]) is NameCallback)
    func synchronously() -> any Callback { Reader().initialize(with: [:]) }
    #expect(synchronously() is Reader)
  }
}
