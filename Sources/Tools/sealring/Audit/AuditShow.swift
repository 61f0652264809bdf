import ArgumentParser
import EvidenceLedger
import Foundation
import JOSE
import JourneyStore
import StrictJSON

extension Audit {
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one entry, or the one of a proof: who signed what, when, where, with which key.",
      discussion: "The signature is verified again; exit code 1 when it does not say what the entry says.")

    @OptionGroup var place: DataOrServer

    @Option(help: "The entry's realm, for --server.")
    var realm = CurrentSettings.text("realm")

    @Argument(
      help: "The entry's number, as `sealring audit list` shows it, or the file of a proof.",
      completion: .file())
    var entry: String

    @Flag(help: PlainProofs.help)
    var plainProofs = false

    @Flag(help: "Print the entry, with the token's header and claims, as JSON.")
    var json = false

    private func found() async throws -> EvidenceEntry {
      guard let number = Int64(entry) else {
        let bytes = try GivenFile.bytes(entry, limit: UnverifiedInclusion.maximumBytes)
        do throws(EvidenceFault) {
          return try UnverifiedInclusion(parsing: bytes).verified(allowsPlainProofs: plainProofs).entry
        } catch { throw CommandFailure.damaged("\(printable(entry)): \(printable(sentence("\(error)")))") }
      }
      if let administration = try place.administration(realm: realm) {
        return try await administration.signedIn { try await $0.evidence(number: number) }
      }
      guard let entry = try await place.data.archive().evidence(number: number) else {
        throw CommandFailure.notFound(
          "There is no entry \(number). `sealring audit list` shows what there is.")
      }
      return entry
    }

    func run() async throws {
      let entry = try await found()
      let claims: JSONObject
      do throws(EvidenceFault) {
        claims = try entry.verifySignature(allowsPlainProofs: plainProofs)
      } catch {
        throw CommandFailure.damaged("\(sentence("\(error)")) Keep the database for an investigation.")
      }
      let token = try UnverifiedJWS(compact: entry.record.jws, limits: .withCertificates)
      if json {
        var object = entry.report
        object["header"] = .object(token.header.json)
        object["claims"] = .object(claims)
        object["verified"] = true
        object["statement"] = ProofReport(entry).json
        Output.json(.object(object))
      } else {
        print(entry, header: token.header.json, claims: claims)
      }
    }

    /// What the signature proves about the transaction above.
    private static func remark(_ proof: TransactionProof) -> String {
      switch proof {
      case .txn: "signed: fields and nonce give the challenge, and the device says that it showed them (txn)"
      case .plain:
        "signed: fields and nonce give the challenge; the device does not say that it showed them (plain proof)"
      case .none: "NOT covered by the signature: a journey's remark"
      case .contradicted: "contradicted by the signature"
      }
    }

    /// A transaction's members and fields, one per row.
    private static func rows(of transaction: JSONObject?) -> [(String, String)] {
      guard let transaction else { return [("transaction", "none")] }
      var rows = [("transaction", transaction["id"]?.stringValue ?? "without an id")]
      for (name, value) in transaction where name != "id" {
        if name == "fields", let fields = value.objectValue {
          rows += fields.map { ("  \($0.name)", $0.value.stringValue ?? $0.value.text) }
        } else {
          rows.append(("  (\(name))", value.stringValue ?? value.text))
        }
      }
      return rows
    }

    /// Claims with times in words; times are seconds since 1970 (RFC 7519 §4.1).
    private static func text(ofClaim name: String, _ value: JSONValue) -> String {
      if ["iat", "exp", "nbf"].contains(name), let seconds = value.doubleValue, seconds.isFinite,
        abs(seconds) < 1e11
      {
        return "\(Times.text(Date(timeIntervalSince1970: seconds))) (\(value.text))"
      }
      return value.stringValue ?? value.text
    }

    private func print(_ entry: EvidenceEntry, header: JSONObject, claims: JSONObject) {
      let record = entry.record
      for line in ProofReport(entry).lines { Output.line(line) }
      Output.line("")
      var rows: [(String, String)] = [
        ("entry", "\(entry.number)"), ("kind", record.kind.rawValue),
        ("time", Times.text(entry.date)),
        ("user", "\(record.username) (\(record.userID))"), ("account", record.accountID ?? "not recorded"),
        ("realm", record.realm),
        ("journey", record.journey), ("node", record.nodeID), ("device", record.device),
        ("key", (try? JWK(json: record.key)).map { "\($0.thumbprint) (RFC 7638)" } ?? ""),
        ("attestation", record.attestation.map { JSONValue.object($0).text } ?? "none"),
      ]
      rows += Self.rows(of: record.transaction)
      if let proof = entry.transactionProof { rows.append(("", Self.remark(proof))) }
      rows += claims.map { ("  \($0.name)", Self.text(ofClaim: $0.name, $0.value)) }
      rows += [
        ("algorithm", header["alg"]?.stringValue ?? ""),
        ("signature", "verifies with the recorded key; the token:"), ("", record.jws),
        ("previous", entry.previous.text), ("hash", entry.hash.text),
      ]
      for (name, value) in rows {
        // Signers choose the names of claims, so long ones are not cut.
        let padding = String(repeating: " ", count: max(1, 13 - name.count))
        let indent = name.hasPrefix("  ") ? "  " : ""
        Output.line("\(indent)\(printable(name))\(padding)\(printable(value))")
      }
    }
  }
}
