import Assembly
import CommonFixtures
import Foundation
import SealringTesting
import SigningTransactions
import StrictJSON
import Testing

/// `sealring app` and `sealring sign --transaction`.
@Suite struct TransactionCommandTests {
  private static let password = "Correct horse battery 1"
  private static let pin = "271828"
  private static let payment: JSONObject = ["amount": "42.00", "currency": "EUR", "payee": "Bäckerei"]

  /// A server, a device of mira's, and a shop's credentials.
  private func withShop(
    _ body: (LocalServer, CommandLineTool, TestApplication) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let server = try await LocalServer.start(data: folder.appending(path: "server"))
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      let user = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n")
      #expect(user.status == 0, "\(user.errors)")
      let bound = try await tool.run(
        ["bind", "--server", server.address, "--username", "mira", "--password-stdin", "--pin-stdin"],
        input: "\(Self.password)\n\(Self.pin)\n")
      #expect(bound.status == 0, "\(bound.errors)")
      let added = try await tool.run(["app", "add", "Shop", "--server", server.address, "--json"])
      #expect(added.status == 0, "\(added.errors)")
      let credentials = try added.json
      #expect(credentials.objectValue?.names == ["id", "name", "secret", "plainProofs"])
      #expect(credentials["plainProofs"] == false)
      try await body(
        server, tool,
        TestApplication(
          id: credentials["id"]?.stringValue ?? "", secret: credentials["secret"]?.stringValue ?? "",
          address: server.address))
      try await server.stop()
    }
  }

  @Test func `the tool approves a transaction, shows it, and prints it as JSON`() async throws {
    try await withShop { server, tool, shop in
      let id = try await shop.create(Transaction(json: Self.payment), for: "mira")
      let signed = try await tool.run(
        ["sign", "--server", server.address, "--transaction", id, "--yes", "--pin-stdin", "--json"],
        input: Self.pin + "\n")
      #expect(signed.status == 0, "\(signed.errors)")
      #expect(signed.errors.contains("  | Amount: 42.00 EUR\n  | Payee: Bäckerei\n"))
      let result = try signed.json
      #expect(
        result.objectValue?.names == [
          "transaction", "verified", "fields", "jws", "kid", "username", "evidence",
        ])
      #expect(result["fields"] == .object(Self.payment))
      let verdict = try await shop.read(id)
      #expect(verdict["state"] == "approved" && verdict["jwt"] == result["jws"])

      let again = try await tool.run(
        ["sign", "--server", server.address, "--transaction", id, "--yes", "--pin-stdin"],
        input: Self.pin + "\n")
      #expect(again.status == 1 && again.output.isEmpty)
    }
  }

  /// The ledger says what of a transaction was signed, and by whose word it was shown.
  @Test func `audit shows how far the signature covers a transaction`() async throws {
    try await withShop { server, tool, shop in
      let plain = try await tool.run(
        ["app", "add", "Old till", "--plain-proofs", "--server", server.address, "--json"]
      ).json
      #expect(plain["plainProofs"] == true)
      let table = try await tool.run(["app", "list", "--server", server.address])
      #expect(table.output.contains("PLAIN PROOFS") && table.output.contains("yes"))

      let id = try await shop.create(Transaction(json: Self.payment), for: "mira")
      let signed = try await tool.run(
        ["sign", "--server", server.address, "--transaction", id, "--yes", "--pin-stdin"],
        input: Self.pin + "\n")
      #expect(signed.status == 0, "\(signed.errors)")
      let data = tool.home.deletingLastPathComponent().appending(path: "server").path(percentEncoded: false)
      let shown = try await tool.run(["audit", "show", "--data", data, "2", "--json"])
      #expect(try shown.json["transactionProof"] == "txn", "\(shown.errors)")
      #expect(try shown.json["claims"]?["txn"]?.stringValue == id)
      let text = try await tool.run(["audit", "show", "--data", data, "2"])
      #expect(text.output.contains("the device says that it showed them (txn)"))
      let list = try await tool.run(["audit", "list", "--data", data])
      #expect(list.output.contains("TRANSACTION") && list.output.contains("signed"))
      let listed = try await tool.run(["audit", "list", "--data", data, "--json"]).json
      #expect(listed[0]?["transactionProof"] == "txn" && listed[1]?["transactionProof"] == .null)

      // One file, from the server as from its data, says first who signed what.
      let proof = "\(data)/proof"
      let proven = try await tool.run(
        ["audit", "prove", "--server", server.address, "--realm", "alpha", "2", proof, "--plain-proofs"])
      #expect(proven.status == 0, "\(proven.errors)")
      let checked = try await tool.run(["audit", "verify", proof])
      let first = try #require(checked.output.split(separator: "\n").first, "\(checked.errors)")
      #expect(first == "mira (alpha) signed: 42.00 EUR to Bäckerei", "\(checked.output)")
      for text in ["when", "where", "key", "device", "Checked", "Not checked"] {
        #expect(checked.output.contains(text), "\(text)")
      }
      #expect(try await tool.run(["audit", "show", proof]).output.contains(first))
      let none = try await tool.run(["audit", "prove", "--data", data, "70", "\(data)/none"])
      #expect(none.status == 1 && none.errors.contains("There is no entry 70."), "\(none.errors)")

      let file = "\(data)/export"
      #expect(try await tool.run(["audit", "export", "--data", data, file]).status == 0)
      #expect(try await tool.run(["audit", "verify", file]).status == 0)
      #expect(try await tool.run(["audit", "verify", file, "--plain-proofs"]).status == 0)
    }
  }

  /// A journey that has its own text signed, whatever it was given: what a hostile server would send.
  private static let otherText: JSONObject = [
    "meta": ["origin": "test"],
    "nodes": [
      "set": [
        "_id": "set", "_type": ["_id": "SetStateNode", "name": "Set State"],
        "_outcomes": [["id": "outcome", "displayName": "Outcome"]],
        "attributes": ["transaction": "I owe Eve 9999.00 EUR"],
      ],
      "sign": [
        "_id": "sign", "_type": ["_id": "DeviceSigningVerifierNode", "name": "Device Signing Verifier"],
        "_outcomes": .array(
          ["success", "failure", "noDeviceRegistered", "keyNotFound"].map {
            ["id": .string($0), "displayName": .string($0)]
          }),
        "applicationIds": ["com.sealring.cli"], "challenge": false, "sharedStateAttribute": "transaction",
      ],
    ],
    "tree": [
      "_id": "Debt", "entryNodeId": "set", "noSession": true,
      "nodes": [
        "set": ["displayName": "Set State", "nodeType": "SetStateNode", "connections": ["outcome": "sign"]],
        "sign": [
          "displayName": "Device Signing Verifier", "nodeType": "DeviceSigningVerifierNode",
          "connections": .object(
            JSONObject(
              [("success", "70e691a5-1e33-4ac3-a356-e7b6d60d92e0")]
                + ["failure", "noDeviceRegistered", "keyNotFound"].map {
                  ($0, "e301438c-0bd0-429c-ab0c-66126501069a")
                })),
        ],
      ],
    ],
  ]

  @Test func `no text is signed but the one that was given, and none where nobody can be asked`() async throws
  {
    try await withTemporaryFolder { folder in
      let journeys = folder.appending(path: "journeys/alpha")
      try FileManager.default.createDirectory(at: journeys, withIntermediateDirectories: true)
      try Data(JSONValue.object(Self.otherText).text.utf8)
        .write(to: journeys.appending(path: "Debt.journey.json"))
      let server = try await LocalServer.start(data: folder.appending(path: "server")) {
        $0.journeysDirectory = journeys.deletingLastPathComponent()
      }
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      _ = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n")
      let bound = try await tool.run(
        ["bind", "--server", server.address, "--username", "mira", "--password-stdin", "--pin-stdin"],
        input: "\(Self.password)\n\(Self.pin)\n")
      #expect(bound.status == 0, "\(bound.errors)")
      func sign(_ arguments: String...) async throws -> CommandResult {
        try await tool.run(
          ["sign", "--server", server.address, "--pin-stdin", "--username", "mira"] + arguments,
          input: Self.pin + "\n")
      }
      let other = try await sign("--journey", "Debt", "--text", "Pay 10 EUR to Babs")
      #expect(
        other.status == 1 && other.errors.contains("another text than that of --text"), "\(other.errors)")
      let unasked = try await sign("--journey", "Debt")
      #expect(unasked.status == 1 && unasked.errors.contains("nobody can be asked"), "\(unasked.errors)")
      // A journey that signs something else does not pass for one that has signed the text.
      let unsigned = try await sign("--journey", "SignIn", "--text", "Pay 10 EUR to Babs")
      #expect(
        unsigned.status == 1 && unsigned.errors.contains("without a signature of the text"),
        "\(unsigned.errors)")
      let given = try await sign("--journey", "Debt", "--text", "I owe Eve 9999.00 EUR")
      #expect(given.status == 0, "\(given.errors)")
      #expect(
        given.errors.contains("Signing the text of --text:\n  | I owe Eve 9999.00 EUR\n"), "\(given.errors)")
      let ordinary = try await sign("--text", "Pay 10 EUR to Babs")
      #expect(ordinary.status == 0, "\(ordinary.errors)")
      try await server.stop()
    }
  }

  @Test func `without --yes and without a terminal nothing is approved`() async throws {
    try await withShop { server, tool, shop in
      let id = try await shop.create(Transaction(json: Self.payment), for: "mira")
      let signed = try await tool.run(
        ["sign", "--server", server.address, "--transaction", id, "--pin-stdin"], input: Self.pin + "\n")
      #expect(signed.status == 1)
      #expect(signed.errors.contains("--yes"))
      #expect(try await shop.read(id)["state"] == "refused")
    }
  }

  @Test func `applications are listed and deleted`() async throws {
    try await withShop { server, tool, shop in
      let id = try await shop.create(Transaction(json: Self.payment))
      let list = try await tool.run(["app", "list", "--server", server.address, "--json"])
      let record = try #require(try list.json[0])
      #expect(record["_id"]?.stringValue == shop.id && record["secret"] == nil)
      let table = try await tool.run(["app", "list", "--server", server.address])
      #expect(table.output.contains("Shop"))
      let deleted = try await tool.run(["app", "delete", shop.id, "--yes", "--server", server.address])
      #expect(deleted.status == 0, "\(deleted.errors)")
      await #expect(throws: TestServerError.refused(status: 401, message: "Access Denied")) {
        try await shop.read(id)
      }
      #expect(
        try await tool.run(["app", "delete", shop.id, "--yes", "--server", server.address]).status == 1)
    }
  }

  @Test(arguments: [
    ["sign", "--yes"], ["sign", "--transaction", "x", "--text", "y"],
    ["sign", "--transaction", "x", "--journey", "SignIn"],
    ["sign", "--text", "LtHR1cbgkl0yPGoPCmiCpjwIT8xjdphFe5P69z2SWmg="],
    ["audit", "verify", "x", "--hashes-only", "--plain-proofs"],
    ["audit", "prove", "--data", "x", "1", "y", "--plain-proofs"],
  ])
  func `what does not go together is wrong usage`(_ arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      let result = try await CommandLineTool(home: folder).run(arguments)
      #expect(result.status == 64)
    }
  }
}
