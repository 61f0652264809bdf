import BindingFormats
import Foundation
import JourneyStore
import OATH
import StrictJSON
import Testing

/// `sealring key`, beside a server that runs.
@Suite("sealring key") struct KeyCommandTests {
  private func keys(_ setup: CommandSetup) async throws -> [JSONValue] {
    let listed = try await setup.tool.run(["key", "list", "--data", setup.data, "--json"])
    return try #require(try listed.json.arrayValue, "\(listed.errors)")
  }

  /// As after `key rotate` was killed once the new key was in use.
  @Test func `a key is ended only when the last server has come round, with what that one stored meanwhile`()
    async throws
  {
    try await CommandSetup.run { setup in
      let first = try #require(try await keys(setup).first?["id"]?.stringValue)
      let late = try SQLiteStore(directory: URL(filePath: setup.data))
      let rotated = try await setup.tool.run(["key", "rotate", "--wait", "300", "--data", setup.data])
      #expect(rotated.status == 0, "\(rotated.errors)")

      // It has not looked at the database since, and goes by what it knows, however long that took.
      try late.serverKey.take(late.serverKey.entries, askedAt: .now)
      try await late.noteKeys([first], of: "late")
      let device = OathDeviceRecord(
        uuid: "late", realm: "alpha", username: "mira", secret: StoredSecret(Array(0..<20)),
        profile: OATHProfile(), createdDate: Date(timeIntervalSince1970: 0),
        lastAccessDate: Date(timeIntervalSince1970: 0))
      #expect(try await late.addOathDevice(device, limit: 9))
      #expect(try await keys(setup)[0]["secrets"] == 1)
      for command in [["reencrypt"], ["retire", first]] {
        let refused = try await setup.tool.run(["key"] + command + ["--wait", "0", "--data", setup.data])
        #expect(refused.status != 0 && refused.errors.contains("late"), "\(refused.errors)")
      }
      #expect(try await keys(setup)[0]["secrets"] == 1)

      async let waiting = setup.tool.run(["key", "retire", first, "--wait", "300", "--data", setup.data])
      try await late.forgetKeys(of: "late")
      let retired = try await waiting
      #expect(retired.status == 0, "\(retired.errors)")
      #expect(try await keys(setup).map { $0["state"] } == ["retired", "active"])
      try await late.refreshKeys()
      #expect(try await late.oathDevices.all(of: UniversalID(username: "mira", realm: "alpha")) == [device])
      try await late.close()
    }
  }
}
