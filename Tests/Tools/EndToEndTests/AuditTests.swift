import CommonFixtures
import Bytes
import Crypto
import Foundation
import SigningTransactions
import StrictJSON
import Testing

/// `sealring audit`, beside a server that runs and one that was killed.
@Suite struct AuditTests {
  @Test(.timeLimit(.minutes(5)))
  func `a server killed under load has the evidence of all that it acknowledged, in a whole chain`()
    async throws
  {
    try await CommandSetup.run { setup in
      var acknowledged = 0
      #expect(try await setup.bind().status == 0)
      acknowledged += 1
      var server = setup.server
      for round in 1...3 {
        let address = server.address
        acknowledged += try await withThrowingTaskGroup(of: Bool.self) { group in
          for signer in 1...4 {
            group.addTask {
              try await setup.tool.run(
                ["sign", "--server", address, "--text", "Pay \(round).\(signer) EUR", "--pin-stdin"],
                input: CommandSetup.pin + "\n"
              ).status == 0
            }
          }
          var count = 0
          var isAlive = true
          for try await isAcknowledged in group {
            if isAcknowledged { count += 1 }
            if isAlive {
              isAlive = false
              await server.kill()
            }
          }
          return count
        }
        // Killed, not closed: the write-ahead log is still there.
        let file = setup.path("killed-\(round)")
        let exported = try await setup.audit("export", "--data", setup.data, file, "--json")
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(try exported.json["entries"]?.integerValue ?? 0 >= acknowledged)
        let verified = try await setup.audit("verify", file)
        #expect(verified.status == 0, "\(verified.errors)")
        server = try await ServerProcess.start(
          data: setup.folder.appending(path: "server"), port: server.port)
      }
      // The ledger goes on where it stood.
      let last = try await setup.tool.run(
        ["sign", "--server", server.address, "--pin-stdin"], input: CommandSetup.pin + "\n")
      #expect(last.status == 0, "\(last.errors)")
      #expect(try await setup.audit("export", "--data", setup.data, setup.path("last")).status == 0)
      let verified = try await setup.audit(
        "verify", setup.path("last"), "--continues", setup.path("killed-3"))
      #expect(verified.status == 0, "\(verified.errors)")
      _ = await server.stop()
    }
  }

  /// Whoever has the server's key can write the chain anew, and not what a device signed.
  @Test(arguments: [nil, "amount", "txn", "again"] as [String?])
  func `a script of another language finds a transaction that is not the signed one`(_ lie: String?)
    async throws
  {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "export")
      try Self.export(with: lie).write(to: file, atomically: true, encoding: .utf8)
      let result = try await Self.script(on: file.path(percentEncoded: false))
      #expect(result.status == (lie == nil ? 0 : 1), "\(result.errors)")
      if let lie { #expect(result.errors.contains(lie == "again" ? "entry 2" : "entry 1")) }
    }
  }

  /// An export whose hashes are right, as somebody with all keys of the server writes it.
  private static func export(with lie: String?) throws -> String {
    let rent = try Transaction(amount: "12.50", currency: "EUR", payee: "Krüger")
    let nonce: [UInt8] = Array(0..<32)
    var fields = rent.json
    if lie == "amount" { fields["amount"] = "1250.00" }
    func token(_ challenge: String, _ txn: String?) -> String {
      var claims: JSONObject = ["challenge": .string(challenge)]
      claims["txn"] = txn.map { .string($0) }
      return "e30.\(Base64URL.encode(claims.serialized)).AAAA"
    }
    let jws = token(rent.challenge(nonce: nonce) ?? "", lie == "txn" ? nil : "t-1")
    let transaction: JSONObject = [
      "id": "t-1", "fields": .object(fields), "nonce": .string(Base64URL.encode(nonce)),
    ]
    let entries: [(JSONValue, String)] = [
      (.object(transaction), jws),
      lie == "again" ? (.object(transaction), jws) : (.null, token("another", nil)),
    ]
    func sealed(_ body: JSONObject, _ tag: String) -> (line: String, hash: String) {
      let text = String(JSONValue.object(body).text.dropLast())
      let hash = Base64URL.encode(SHA256.hash(data: Data("\(tag)\n\(text)".utf8)))
      return ("\(text),\"hash\":\"\(hash)\"}", hash)
    }
    var (lines, head) = ([String](), "")
    let header = sealed(["sealring": "evidence"], "sealring evidence ledger 1")
    (lines, head) = ([header.line], header.hash)
    for (index, (transaction, jws)) in entries.enumerated() {
      let entry = sealed(
        [
          "number": .integer(Int64(index + 1)), "previous": .string(head), "kind": "sign",
          "transaction": transaction, "jws": .string(jws),
        ], "sealring evidence entry 1")
      lines.append(entry.line)
      head = entry.hash
    }
    let checkpoint: JSONObject = ["count": .integer(Int64(entries.count)), "head": .string(head)]
    lines.append("{\"checkpoint\":\"e30.\(Base64URL.encode(checkpoint.serialized)).AAAA\"}")
    return lines.joined(separator: "\n") + "\n"
  }

  /// Runs `evidence_chain.py` on an export.
  private static func script(on file: String) async throws -> CommandLineTool.Result {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Interoperability/evidence_chain.py")
    return try await RunningCommand(
      path: "/usr/bin/env", arguments: ["python3", script.path(percentEncoded: false), file],
      environment: ProcessInfo.processInfo.environment, input: ""
    ).finish()
  }

  /// An auditor needs nothing of Sealring: the chain is SHA-256 over lines of text.
  @Test func `the chain can be checked by a script of another language`() async throws {
    try await CommandSetup.run { setup in
      _ = try await setup.bind()
      #expect(try await setup.sign("Pay 10 EUR").status == 0)
      _ = await setup.server.stop()
      let file = setup.path("export")
      #expect(try await setup.audit("export", "--data", setup.data, file).status == 0)
      let result = try await Self.script(on: file)
      #expect(result.status == 0 && result.output.hasPrefix("2 entries"), "\(result.errors)")
      let text = try String(contentsOfFile: file, encoding: .utf8)
      try text.replacing("SignTransaction", with: "SignTransactiom").write(
        toFile: file, atomically: true, encoding: .utf8)
      let changed = try await Self.script(on: file)
      #expect(changed.status == 1 && changed.errors.contains("entry 2"), "\(changed.errors)")
    }
  }
}
