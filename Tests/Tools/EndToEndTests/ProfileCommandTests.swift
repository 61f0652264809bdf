#if os(Linux)
  import CommonFixtures
  import Foundation
  import PersonFixtures
  import Testing

  /// `sealring journey run` where the server asks what device this is, and where.
  @Suite struct ProfileCommandTests {
    private static let password = "Correct horse battery 1"

    /// A journey that asks for everything, and refuses a device that does not tell.
    private static let journey = """
      {"meta": {}, "nodes": {
        "n1": {"_id": "n1", "_type": {"_id": "UsernameCollectorNode"}},
        "n2": {"_id": "n2", "_type": {"_id": "PasswordCollectorNode"}},
        "n3": {"_id": "n3", "_type": {"_id": "DataStoreDecisionNode"}},
        "n4": {"_id": "n4", "_type": {"_id": "DeviceProfileCollectorNode"}, "deviceMetadata": true,
          "deviceLocation": true, "message": {"en": "For your \\u001b[2Ksafety"}}},
       "innerNodes": {}, "scripts": {},
       "tree": {"_id": "Profile", "entryNodeId": "n1", "nodes": {
        "n1": {"nodeType": "UsernameCollectorNode", "displayName": "1", "connections": {"outcome": "n2"}},
        "n2": {"nodeType": "PasswordCollectorNode", "displayName": "2", "connections": {"outcome": "n3"}},
        "n3": {"nodeType": "DataStoreDecisionNode", "displayName": "3", "connections": {
          "true": "n4", "false": "e301438c-0bd0-429c-ab0c-66126501069a"}},
        "n4": {"nodeType": "DeviceProfileCollectorNode", "displayName": "4", "connections": {
          "outcome": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"}}}}}
      """

    /// A server with that journey and user mira, and her device on the bus `address`.
    private func withServer(
      bus address: String, _ body: (ServerProcess, CommandLineTool) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let journeys = folder.appending(path: "journeys/alpha")
        try FileManager.default.createDirectory(at: journeys, withIntermediateDirectories: true)
        try Self.journey.write(
          to: journeys.appending(path: "Profile.journey.json"), atomically: true, encoding: .utf8)
        let server = try await ServerProcess.start(
          data: folder.appending(path: "server"),
          arguments: ["--journeys", folder.appending(path: "journeys").path(percentEncoded: false)])
        let tool = CommandLineTool(
          home: folder.appending(path: "device"),
          environment: [
            "SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword,
            "DBUS_SYSTEM_BUS_ADDRESS": address,
          ])
        let added = try await tool.run(
          ["user", "add", "mira", "--server", server.address, "--password-stdin"],
          input: Self.password + "\n")
        #expect(added.status == 0, "\(added.errors)")
        try await body(server, tool)
        _ = await server.stop()
      }
    }

    private func run(
      _ tool: CommandLineTool, _ server: ServerProcess, _ options: [String] = []
    ) async throws -> CommandLineTool.Result {
      try await tool.run(
        ["journey", "run", "Profile", "--server", server.address, "--username", "mira", "--password-stdin"]
          + options, input: Self.password + "\n")
    }

    #if DEBUG
      @Test func `with --location the place goes to the server, and the person reads what is sent`()
        async throws
      {
        try await LocationService.run { location in
          try await withServer(bus: location.address) { server, tool in
            let result = try await run(tool, server, ["--location"])
            #expect(result.status == 0, "\(result.errors)")
            #expect(
              result.errors.contains(
                "Sent about this device: identifier, bluetooth, hardware, network, platform, location."))
          }
        }
      }
    #endif

    @Test func `a place that cannot be found is left out with the reason, and the journey goes on`()
      async throws
    {
      try await withServer(bus: "unix:path=/nonexistent/bus") { server, tool in
        let result = try await run(tool, server, ["--location"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("There is no system bus"))
        #expect(result.errors.contains("The location is not sent."))
      }
    }

    @Test func `when nobody can be asked the place is not sent, and the journey goes on`() async throws {
      try await withServer(bus: "unix:path=/nonexistent/bus") { server, tool in
        let result = try await run(tool, server)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("Agree with --location."))
        #expect(result.errors.contains("The location is not sent."))
        #expect(
          result.errors.contains(
            "Sent about this device: identifier, bluetooth, hardware, network, platform."))
        #expect(!result.errors.contains("\u{1b}"))
      }
    }
  }
#endif
