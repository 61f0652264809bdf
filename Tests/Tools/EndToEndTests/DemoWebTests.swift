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
      let base = line.replacing("localhost", with: "127.0.0.1").replacing(
        "/am/admin/?realm=/alpha", with: "/am")
      #expect(try await WebRequests.send("\(base)/admin/").location?.contains("XUI/") == true)
      let signedIn = try await WebRequests.send(
        "\(base)/json/realms/root/authenticate",
        headers: ["X-OpenAM-Username": "amAdmin", "X-OpenAM-Password": "correct horse battery"], json: [:])
      let token = try #require(signedIn.json["tokenId"]?.stringValue)
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

  @Test func `it goes with no other story`() async throws {
    try await withTemporaryFolder { folder in
      for arguments in [["--push"], ["--store", "tpm"]] {
        let result = try await CommandLineTool(home: folder).run(["demo", "--web"] + arguments)
        #expect(result.status == 64)
      }
    }
  }
}
