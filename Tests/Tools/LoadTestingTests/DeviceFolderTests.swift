import CommonFixtures
import Foundation
@testable import LoadTesting
import StrictJSON
import Testing

@Suite struct DeviceFolderTests {
  private static let server = "http://127.0.0.1:8080/am"
  private static let names = (1...3).map { "load-\($0)" }

  private func open(_ url: URL, server: String = server, realm: String = "alpha") throws -> DeviceFolder {
    try DeviceFolder(url, server: server, realm: realm)
  }

  /// Binds those of `names` that are not bound.
  private func bind(_ url: URL, _ names: [String]) async throws {
    let fleet = try LoadFleet(usernames: names, folder: try open(url))
    let transport = ScriptedTransport { request in
      guard request.url.contains("authIndexType") else {
        return LoadAnswer(status: 200, body: Array(#"{"tokenId":"t"}"#.utf8))
      }
      let page = #"""
        {"authId": "a", "callbacks": [{"type": "DeviceBindingCallback",
         "output": [{"name": "userId", "value": "id=x,ou=user,ou=am-config"}, {"name": "challenge", "value": "c2l4dHktZm91ciBieXRlcyBvZiByYW5kb21uZXNzISE="}],
         "input": [{"name": "IDToken1jws", "value": ""}, {"name": "IDToken1deviceName", "value": ""},
          {"name": "IDToken1deviceId", "value": ""}, {"name": "IDToken1clientError", "value": ""}]}]}
        """#
      return LoadAnswer(status: 200, body: Array(page.utf8))
    }
    let target = try #require(LoadTarget(address: Self.server, realm: "alpha"))
    let driver = ScenarioDriver(
      ScenarioDriver.Settings(scenario: .bind, journey: "J"), target: target, fleet: fleet,
      transport: transport)
    let plan = LoadPlan(scenario: .bind, devices: names.count, pacing: .concurrency(1), duration: nil)
    let recorder = LoadRecorder()
    await LoadRun(
      plan, devices: fleet.indices(having: .bound, false), driver: driver,
      clock: LoadClock(JumpingClock()), recorder: recorder
    ).run()
    #expect(recorder.report(of: plan, start: 0).failed == 0)
  }

  private func bound(_ url: URL, _ names: [String] = names) throws -> [Int] {
    try LoadFleet(usernames: names, folder: try open(url)).indices(having: .bound)
  }

  @Test func `a second load has what the first one bound, and nobody else can read it`() async throws {
    try await withTemporaryFolder { folder in
      let url = folder.appending(path: "devices", directoryHint: .isDirectory)
      try await bind(url, Array(Self.names.prefix(2)))
      #expect(try bound(url) == [0, 1])
      let file = url.appending(path: "bound.jsonl")
      #expect(try mode(of: file) == 0o600 && mode(of: url) == 0o700)
      // Those that are bound already are left alone.
      try await bind(url, Self.names)
      #expect(try bound(url) == [0, 1, 2])
      #expect(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count == 4)
    }
  }

  @Test func `a line that a crash left half is dropped, and the next one is whole`() async throws {
    try await withTemporaryFolder { folder in
      let url = folder.appending(path: "devices", directoryHint: .isDirectory)
      try await bind(url, [Self.names[0]])
      let file = url.appending(path: "bound.jsonl")
      let handle = try FileHandle(forWritingTo: file)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(#"{"user":"load-2","kid":"ab"#.utf8))
      try handle.close()
      #expect(try bound(url) == [0])
      try await bind(url, Self.names)
      #expect(try bound(url) == [0, 1, 2])
    }
  }

  @Test func `a folder belongs to one realm of one server`() async throws {
    try await withTemporaryFolder { folder in
      let url = folder.appending(path: "devices", directoryHint: .isDirectory)
      try await bind(url, Self.names)
      for other in [
        try open(url, realm: "beta"), try open(url, server: "https://id.example.com/am"),
      ] {
        #expect(throws: DeviceFolderError.self) { try LoadFleet(usernames: Self.names, folder: other) }
      }
    }
  }

  @Test(arguments: [
    "nothing\n", "{}\n", #"{"kind":"bound","version":9,"server":"s","realm":"r"}"# + "\n",
    #"{"kind":"bound","version":1,"server":"http://127.0.0.1:8080/am","realm":"alpha"}"# + "\n{}\n",
    #"{"kind":"bound","version":1,"server":"http://127.0.0.1:8080/am","realm":"alpha"}"#
      + "\n" + #"{"user":"load-1","kid":"a","userId":"b","key":"AAAA"}"# + "\n",
  ])
  func `a damaged file is named`(content: String) throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "devices", directoryHint: .isDirectory)
      let opened = try open(url)
      try Data(content.utf8).write(to: url.appending(path: "bound.jsonl"))
      let error = #expect(throws: DeviceFolderError.self) {
        try LoadFleet(usernames: Self.names, folder: opened)
      }
      #expect(error?.description.contains("bound.jsonl is damaged") == true)
    }
  }

  @Test func `two programs cannot enrol into one folder at a time`() async throws {
    try await withTemporaryFolder { folder in
      let (one, two) = (try open(folder), try open(folder))
      let refusal = await one.refusing(two)
      #expect(refusal is DeviceFolderError, "\(String(describing: refusal))")
      try await two.enrolling {}
    }
  }
}

extension DeviceFolder {
  /// Why `other` cannot enrol while this one does.
  fileprivate func refusing(_ other: DeviceFolder) async -> (any Error)? {
    do {
      try await enrolling { try await other.enrolling {} }
      return nil
    } catch { return error }
  }
}
