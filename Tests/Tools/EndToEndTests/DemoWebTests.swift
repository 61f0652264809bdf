import CommonFixtures
import Foundation
import StrictJSON
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `sealring demo --web`.
@Suite struct DemoWebTests {
  @Test func `the demo for the browser prints one address, behind which there are people and their past`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let data = folder.appending(path: "demo").path(percentEncoded: false)
      let command = try CommandLineTool(home: folder).start(["demo", "--web", "--data", data])
      let line = try #require(await command.line(startingWith: "http://localhost:"))
      let password = try #require(await command.remark(/with the password "([0-9a-f]{16})"\./)).1
      let base = Self.base(of: line)
      #expect(try await WebRequests.send("\(base)/admin/").location?.contains("XUI/") == true)
      let token = try #require(try await Self.token(base, String(password)))
      let users = try await WebRequests.send(
        "\(base)/json/realms/root/realms/alpha/users?_queryFilter=true",
        headers: ["iPlanetDirectoryPro": token])
      #expect(users.json["resultCount"]?.integerValue == 12)
      command.send(SIGTERM)
      let result = await command.finish()
      #expect(result.status == 0)
      #expect(result.output == line + "\n")
    }
  }

  @Test func `each folder has a password of its own, or the given one, and keeps it`() async throws {
    try await withTemporaryFolder { folder in
      for (given, remark) in [
        ("quiet meadow 1", /the password in SEALRING_ADMIN_PASSWORD\./),
        (nil, /the password of this folder's first start\./),
      ] {
        let data = folder.appending(path: "demo").path(percentEncoded: false)
        var tool = CommandLineTool(home: folder)
        tool.environment["SEALRING_ADMIN_PASSWORD"] = given
        let command = try tool.start(["demo", "--web", "--data", data])
        let base = Self.base(of: try #require(await command.line(startingWith: "http://localhost:")))
        #expect(await command.remark(remark) != nil)
        #expect(try await Self.token(base, "quiet meadow 1") != nil)
        #expect(try await Self.token(base, "correct horse battery") == nil)
        command.send(SIGTERM)
        let result = await command.finish()
        #expect(result.status == 0 && !result.errors.contains("quiet meadow 1"), "\(result.errors)")
      }
    }
  }

  private static func base(of line: String) -> String {
    line.replacing("localhost", with: "127.0.0.1").replacing("/am/admin/?realm=/alpha", with: "/am")
  }

  private static func token(_ base: String, _ password: String) async throws -> String? {
    try await WebRequests.send(
      "\(base)/json/realms/root/authenticate",
      headers: ["X-OpenAM-Username": "amAdmin", "X-OpenAM-Password": password], json: [:]
    ).json["tokenId"]?.stringValue
  }

  @Test func `it goes with no other story`() async throws {
    try await withTemporaryFolder { folder in
      for arguments in [["--push"], ["--store", "tpm"]] {
        let result = try await CommandLineTool(home: folder).run(["demo", "--web"] + arguments)
        #expect(result.status == 64)
      }
    }
  }
}
