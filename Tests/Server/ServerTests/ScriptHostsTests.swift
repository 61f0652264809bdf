import CommonFixtures
import Concurrency
import Foundation
import HummingbirdTesting
import JourneyNodes
import Testing
import WebAddresses

@testable import JourneyFiles
@testable import Operations
@testable import PushTransports
@testable import ServerHTTP

@Suite struct ScriptHostsTests {
  @Test(arguments: [
    "https://other.example.com/x", "https://api.example.com:8443/x", "http://api.example.com/x",
    "https://api.example.com.evil.example/x", "https://api.example.com@evil.example/x", "file:///etc/passwd",
    "https:api.example.com", "https://api.example.com\\@evil.example/", "", "gopher://api.example.com/",
  ]) func `a script reaches listed origins only`(_ address: String) async throws {
    var hosts = ScriptHosts()
    try hosts.allow("api.example.com", isPrivate: false)
    await #expect(throws: ScriptHTTPClient.Refusal.self) {
      try await ScriptHTTPClient(hosts: hosts).send(
        "GET", address, headers: [:], body: nil, realm: "alpha", within: nil)
    }
  }

  @Test(arguments: [
    "https://127.0.0.1", "https://[::1]", "https://10.0.0.1", "https://169.254.169.254", "https://[fd00::1]",
    "https://[::ffff:10.0.0.1]", "https://localhost",
  ]) func `a public host that leads into this network is refused`(_ origin: String) async throws {
    var hosts = ScriptHosts()
    try hosts.allow(origin, isPrivate: false)
    let error = await #expect(throws: (any Error).self) {
      try await ScriptHTTPClient(hosts: hosts).send(
        "GET", "\(origin)/", headers: [:], body: nil, realm: "alpha", within: nil)
    }
    #expect(
      error.map { "\($0)".contains("not in the public network") || "\($0)".contains("has no address") }
        == true)
  }

  @Test func `a listed host is reached, with method, headers and body, and answers as it is`() async throws {
    try await LocalServer.run(.live) { server async throws in
      let port = try #require(server.client.port)
      var hosts = ScriptHosts()
      try hosts.allow("http://127.0.0.1:\(port)", isPrivate: true)
      let client = ScriptHTTPClient(hosts: hosts)
      let version = try await client.send(
        "get", "http://127.0.0.1:\(port)/am/json/serverinfo/version", headers: ["Accept": "application/json"],
        body: nil, realm: "alpha", within: nil)
      #expect(version.status == 200 && version.body.contains("version"))
      #expect(version.headers["content-type"]?.contains("json") == true && version.reason == "OK")
      // What is sent arrives: the server looks at the headers of a zero-page sign-in, and at the body's form.
      let signIn = try await client.send(
        "POST", "http://127.0.0.1:\(port)/am/json/realms/root/realms/alpha/authenticate",
        headers: ["Content-Type": "application/json", "Accept-API-Version": "resource=2.1"],
        body: Array("{}".utf8), realm: "alpha", within: nil)
      #expect(signIn.status == 200 && signIn.body.contains("authId"))
      let bad = try await client.send(
        "POST", "http://127.0.0.1:\(port)/am/json/realms/root/realms/alpha/authenticate",
        headers: ["Content-Type": "application/json"], body: Array("{".utf8), realm: "alpha", within: nil)
      #expect(bad.status == 400)
      // The same address under another port, or without leave for private hosts, is not reached.
      await #expect(throws: ScriptHTTPClient.Refusal.self) {
        try await client.send(
          "GET", "http://127.0.0.1:\(port == 1 ? 2 : 1)/", headers: [:], body: nil, realm: "alpha",
          within: nil)
      }
    }
  }

  @Test func `a host of one realm is out of reach of another's journeys`() throws {
    var hosts = ScriptHosts()
    try hosts.allow("https://all.example", isPrivate: false)
    try hosts.allow("https://pay.example", isPrivate: true, realm: "Alpha")
    let (all, pay) = (
      try #require(WebOrigin("https://all.example")), try #require(WebOrigin("https://pay.example"))
    )
    #expect(hosts.allowance(for: all, realm: "beta") == false)
    #expect(hosts.allowance(for: all, realm: "alpha") == false)
    #expect(hosts.allowance(for: pay, realm: "alpha") == true)
    #expect(hosts.allowance(for: pay, realm: "beta") == nil)
    #expect(hosts.areShared)
    var own = ScriptHosts()
    try own.allow("https://pay.example", isPrivate: false, realm: "alpha")
    #expect(!own.areShared && !own.isEmpty)
  }

  @Test func `a slow host of one realm leaves requests to the others`() async throws {
    struct Unknown: Error {}
    var hosts = ScriptHosts()
    try hosts.allow("https://slow.example", isPrivate: false)
    let (asked, release) = (Locked(0), Signal())
    var client = ScriptHTTPClient(hosts: hosts)
    client.client = CheckedClient(answering: 4) { _, _ in
      asked.withLock { $0 += 1 }
      await release.wait()
      throw Unknown()
    }
    let slow = client
    @Sendable func isRefused(_ realm: String) async -> Bool {
      do {
        _ = try await slow.send(
          "GET", "https://slow.example/", headers: [:], body: nil, realm: realm, within: nil)
        return false
      } catch { return "\(error)".contains("under way") }
    }
    let share = ScriptHTTPClient.mostAtOnce / 2
    await withTaskGroup { group in
      for _ in 0..<share { group.addTask { await isRefused("alpha") } }
      await #expect(throws: Never.self) {
        try await eventually("the realm has its share") { asked.withLock { $0 } == share }
      }
      #expect(await isRefused("Alpha"))
      group.addTask { await isRefused("beta") }
      await #expect(throws: Never.self) {
        try await eventually("another realm asks") { asked.withLock { $0 } == share + 1 }
      }
      release.fire()
      for await isRefused in group { #expect(!isRefused) }
    }
  }

  @Test(arguments: [
    "http://api.example.com", "ftp://api.example.com", "https://api.example.com/path", "a b", "",
  ])
  func `an origin that cannot be listed is said so`(_ origin: String) {
    var hosts = ScriptHosts()
    #expect(throws: ServerSetupError.self) { try hosts.allow(origin, isPrivate: false) }
  }

  @Test func `headers that end or split a message are not sent`() async throws {
    var hosts = ScriptHosts()
    try hosts.allow("https://api.example.com", isPrivate: false)
    let client = ScriptHTTPClient(hosts: hosts)
    for headers in [["a\r\nb": "c"], ["a": "b\r\nc: d"], ["a b": "c"], ["": "c"]] {
      await #expect(throws: ScriptHTTPClient.Refusal.self) {
        try await client.send(
          "GET", "https://api.example.com/", headers: headers, body: nil, realm: "alpha", within: nil)
      }
    }
    await #expect(throws: ScriptHTTPClient.Refusal.self) {
      try await client.send(
        "CONNECT", "https://api.example.com/", headers: [:], body: nil, realm: "alpha", within: nil)
    }
  }

  @Test func `variables are texts of a JSON object`() throws {
    let folder = try TemporaryFolder.make()
    try folder.write(Array(#"{"esv.a": "1"}"#.utf8), to: "good.json")
    try folder.write(Array(#"{"esv.a": 1}"#.utf8), to: "number.json")
    try folder.write(Array(#"secret"#.utf8), to: "text.json")
    #expect(try ScriptConfiguration.environment(file: folder.file("good.json")) == ["esv.a": "1"])
    for name in ["number.json", "text.json", "none.json"] {
      let error = #expect(throws: ServerSetupError.self) {
        try ScriptConfiguration.environment(file: folder.file(name))
      }
      #expect(error.map { "\($0)".contains("secret") } == false)
    }
  }
}
