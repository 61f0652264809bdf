import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// A journey that asks for consent and a new password, and sends data for apps, at a terminal.
@Suite struct ConsentCommandTests {
  private static let password = "Correct horse battery 1"

  private static let settings = """
    {"consentMappings": [{"name": "managedUser_crm", "displayName": "Newsletter", "accessLevel": "Actual Profile",
      "fields": ["mail", "sn"], "isRequired": true}]}
    """

  private static let journey = """
    {"meta": {}, "nodes": {
      "n1": {"_id": "n1", "_type": {"_id": "UsernameCollectorNode"}},
      "n2": {"_id": "n2", "_type": {"_id": "PasswordCollectorNode"}},
      "n3": {"_id": "n3", "_type": {"_id": "DataStoreDecisionNode"}},
      "n4": {"_id": "n4", "_type": {"_id": "MetadataNode"}, "attributes": ["username", "password"]},
      "n5": {"_id": "n5", "_type": {"_id": "ConsentNode"}, "message": {"en": "We share with others."}},
      "n6": {"_id": "n6", "_type": {"_id": "PatchObjectNode"}},
      "n7": {"_id": "n7", "_type": {"_id": "CreatePasswordNode"}, "minPasswordLength": 20}},
     "innerNodes": {}, "scripts": {},
     "tree": {"_id": "Consents", "entryNodeId": "n1", "nodes": {
      "n1": {"nodeType": "UsernameCollectorNode", "displayName": "1", "connections": {"outcome": "n2"}},
      "n2": {"nodeType": "PasswordCollectorNode", "displayName": "2", "connections": {"outcome": "n3"}},
      "n3": {"nodeType": "DataStoreDecisionNode", "displayName": "3", "connections": {
        "true": "n4", "false": "e301438c-0bd0-429c-ab0c-66126501069a"}},
      "n4": {"nodeType": "MetadataNode", "displayName": "4", "connections": {"outcome": "n5"}},
      "n5": {"nodeType": "ConsentNode", "displayName": "5", "connections": {"outcome": "n6"}},
      "n6": {"nodeType": "PatchObjectNode", "displayName": "6", "connections": {
        "PATCHED": "n7", "FAILURE": "e301438c-0bd0-429c-ab0c-66126501069a"}},
      "n7": {"nodeType": "CreatePasswordNode", "displayName": "7", "connections": {
        "outcome": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"}}}}}
    """

  @Test func `a person reads what is shared with whom, and is asked again for what is required`() async throws
  {
    try await withTemporaryFolder { folder in
      let journeys = folder.appending(path: "journeys/alpha")
      try FileManager.default.createDirectory(at: journeys, withIntermediateDirectories: true)
      try Self.journey.write(
        to: journeys.appending(path: "Consents.journey.json"), atomically: true, encoding: .utf8)
      let settings = folder.appending(path: "identities.json")
      try Self.settings.write(to: settings, atomically: true, encoding: .utf8)
      let server = try await ServerProcess.start(
        data: folder.appending(path: "server"),
        arguments: [
          "--journeys", folder.appending(path: "journeys").path(percentEncoded: false), "--identity-schema",
          settings.path(percentEncoded: false),
        ])
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      let added = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"],
        input: Self.password + "\n")
      #expect(added.status == 0, "\(added.errors)")
      let command = try TerminalCommand(
        tool, ["journey", "run", "Consents", "--server", server.address, "--username", "mira"],
        size: (200, 40))
      _ = await command.read(until: "Password for mira: ")
      command.type(Self.password + "\n")
      let question =
        "Share mail, sn (Actual Profile) with Newsletter, as the journey requires Share it (y/n): "
      #expect(await command.read(until: "(y/n): ").contains("We share with others."))
      command.type("n\n")
      let again = await command.read(until: "(y/n): ")
      // Each line of the server's has its mark.
      #expect(again.replacing(/[\s|]+/, with: " ").hasSuffix(question), "\(again)")
      command.type("y\n")
      // A new password, twice; a short one is refused with the reason.
      for password in ["tulips in march", "tulips and roses in march"] {
        _ = await command.read(until: "Password for mira: ")
        command.type(password + "\n")
        #expect(await command.read(until: "for mira: ").hasSuffix("Confirm Password for mira: "))
        command.type(password + "\n")
        if password.count < 20 {
          #expect(await command.read(until: "characters.").contains("must have at least 20"))
        }
      }
      let end = await command.finish()
      #expect(end.status == 0, "\(end.shown)")
      let shown = try await tool.run(["user", "show", "mira", "--server", server.address, "--json"])
      let consents = try shown.json["consentedMappings"]
      #expect(consents?[0]?["mapping"] == "managedUser_crm", "\(shown.output)\(shown.errors)")
      #expect(consents?[0]?["consentDate"]?.stringValue?.hasSuffix("Z") == true)
      _ = await server.stop()
    }
  }
}
