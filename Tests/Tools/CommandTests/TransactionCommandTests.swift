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
      #expect(signed.errors.contains("Amount: 42.00 EUR\n  Payee: Bäckerei"))
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

      let file = "\(data)/export"
      #expect(try await tool.run(["audit", "export", "--data", data, file]).status == 0)
      #expect(try await tool.run(["audit", "verify", file]).status == 0)
      #expect(try await tool.run(["audit", "verify", file, "--plain-proofs"]).status == 0)
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
  ])
  func `what does not go together is wrong usage`(_ arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      let result = try await CommandLineTool(home: folder).run(arguments)
      #expect(result.status == 64)
    }
  }
}
