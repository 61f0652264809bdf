import CommonFixtures
import Foundation
import PingLogger
import PingNetwork
import StrictJSON
import Testing

/// A server with user mira, the desktop where she signs in, and the device that approves: three state folders, real HTTP.
struct PushScene {
  static let password = "Correct horse battery 1"

  let server: ServerProcess
  let desktop: CommandLineTool
  let device: CommandLineTool
  let folder: URL

  /// - Parameter journeys: Further journeys of realm alpha, by file name.
  static func run(
    journeys: [String: String] = [:], _ body: (PushScene) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let files = folder.appending(path: "journeys/alpha")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      for (name, text) in journeys {
        try Data(text.utf8).write(to: files.appending(path: "\(name).journey.json"))
      }
      let server = try await ServerProcess.start(
        data: folder.appending(path: "server"),
        arguments: ["--journeys", folder.appending(path: "journeys").path(percentEncoded: false)])
      let scene = PushScene(
        server: server,
        desktop: CommandLineTool(
          home: folder.appending(path: "desktop"),
          environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword]),
        device: CommandLineTool(home: folder.appending(path: "device")), folder: folder)
      let added = try await scene.desktop.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: password + "\n")
      #expect(added.status == 0, "\(added.errors)")
      try await body(scene)
      _ = await server.stop()
    }
  }

  /// Begins to register a device: the running command, and the URI that it shows.
  func beginEnrolment(_ arguments: [String] = []) async throws -> (command: RunningCommand, uri: String) {
    let command = try desktop.start(
      ["push", "qr", "--server", server.address, "--username", "mira", "--password-stdin", "--json"]
        + arguments,
      input: Self.password + "\n")
    let line = try #require(await command.line(startingWith: "{\"uri\""), "no enrolment was offered")
    return (command, try #require(try JSONValue(parsing: line)["uri"]?.stringValue))
  }

  /// Registers the device; returns the credential.
  @discardableResult
  func enrol() async throws -> JSONValue {
    let (command, uri) = try await beginEnrolment()
    let enrolled = try await device.run(["push", "enroll", "-", "--json"], input: uri + "\n")
    #expect(enrolled.status == 0, "\(enrolled.errors)")
    let end = await command.finish()
    #expect(end.status == 0, "\(end.errors)")
    return try enrolled.json
  }

  /// Signs in at the desktop, which waits for the device then.
  func signIn(_ journey: String = "PushSignIn", at address: String? = nil) throws -> RunningCommand {
    try desktop.start(
      [
        "journey", "run", journey, "--server", address ?? server.address, "--username", "mira",
        "--password-stdin", "--json",
      ], input: Self.password + "\n")
  }

  /// The next request at the device.
  func nextRequest() async throws -> JSONValue {
    let heard = try await device.run(["push", "listen", "--once", "--json"])
    #expect(heard.status == 0, "\(heard.errors)")
    return try heard.json
  }

  /// The one request that waits at the device.
  func pending() async throws -> [JSONValue] {
    let listed = try await device.run(["push", "list", "--json"])
    #expect(listed.status == 0, "\(listed.errors)")
    return try listed.json.arrayValue ?? []
  }

  /// What the server has kept of mira's approvals and denials.
  func decisions() async throws -> JSONValue {
    let client = HttpClient.createClient { $0.logger = LogManager.none }
    let signedIn = try await client.request { [address = server.address] request in
      request.url = "\(address)/json/realms/root/authenticate"
      request.setHeader(name: "X-OpenAM-Username", value: "amAdmin")
      request.setHeader(name: "X-OpenAM-Password", value: ServerProcess.administratorPassword)
      request.post(json: [:])
    }.get()
    let token = try #require(try JSONValue(parsing: signedIn.body ?? Data())["tokenId"]?.stringValue)
    let answer = try await client.request { [address = server.address] request in
      request.url =
        "\(address)/json/realms/root/realms/alpha/audit/push?_queryFilter=username%20eq%20%22mira%22"
      request.setHeader(name: "iPlanetDirectoryPro", value: token)
      request.get()
    }.get()
    return try JSONValue(parsing: answer.body ?? Data())
  }

  /// The journey file of a push sign-in that asks for the name only.
  static func journey(_ name: String, type: String, timeout: Int) -> String {
    func node(_ type: String, _ display: String, _ connections: [String: String]) -> String {
      let pairs = connections.map { "\"\($0.key)\": \"\($0.value)\"" }.joined(separator: ", ")
      return #"{"nodeType": "\#(type)", "displayName": "\#(display)", "connections": {\#(pairs)}}"#
    }
    let (success, failure) = (
      "70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a"
    )
    return """
      {"nodes": {
        "name": {"_id": "name", "_type": {"_id": "UsernameCollectorNode"}},
        "send": {"_id": "send", "_type": {"_id": "PushAuthenticationSenderNode"}, "pushType": "\(type)",
          "messageTimeout": \(timeout), "mandatory": true, "contextInfo": true},
        "wait": {"_id": "wait", "_type": {"_id": "PushWaitNode"}, "secondsToWait": 1},
        "verify": {"_id": "verify", "_type": {"_id": "PushResultVerifierNode"}}},
       "tree": {"_id": "\(name)", "entryNodeId": "name", "nodes": {
        "name": \(node("UsernameCollectorNode", "Name", ["outcome": "send"])),
        "send": \(node("PushAuthenticationSenderNode", "Send", ["SENT": "wait", "NOT_REGISTERED": failure])),
        "wait": \(node("PushWaitNode", "Wait", ["DONE": "verify", "EXITED": failure])),
        "verify": \(node("PushResultVerifierNode", "Verify", [
          "TRUE": success, "FALSE": failure, "EXPIRED": failure, "WAITING": "wait",
        ]))}}}
      """
  }
}
