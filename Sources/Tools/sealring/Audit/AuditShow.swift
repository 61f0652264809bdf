import ArgumentParser
import EvidenceLedger
import Foundation
import JOSE
import JourneyStore
import StrictJSON

extension Audit {
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one entry: what was signed, by whom, with which key.",
      discussion: "The signature is verified again; exit code 1 when it does not say what the entry says.")

    @OptionGroup var data: DataOptions

    @Argument(help: "The entry's number, as `sealring audit list` shows it.")
    var number: Int64

    @Flag(help: PlainProofs.help)
    var plainProofs = false

    @Flag(help: "Print the entry, with the token's header and claims, as JSON.")
    var json = false

    func run() async throws {
      guard let entry = try await data.archive().entry(number: number) else {
        throw CommandFailure("There is no entry \(number). `sealring audit list` shows what there is.")
      }
      let claims: JSONObject
      do throws(EvidenceFault) {
        claims = try entry.verifySignature(allowsPlainProofs: plainProofs)
      } catch {
        throw CommandFailure("\(sentence("\(error)")) Keep the database for an inquiry.")
      }
      let token = try UnverifiedJWS(compact: entry.record.jws, limits: .withCertificates)
      if json {
        var object = entry.report
        object["header"] = .object(token.header.json)
        object["claims"] = .object(claims)
        object["verified"] = true
        Output.json(.object(object))
      } else {
        print(entry, header: token.header.json, claims: claims)
      }
    }

    /// What the signature proves of the transaction above.
    private static func remark(_ proof: TransactionProof) -> String {
      switch proof {
      case .txn: "signed: fields and nonce give the challenge, and the device says that it showed them (txn)"
      case .plain:
        "signed: fields and nonce give the challenge; the device does not say that it showed them (plain proof)"
      case .none: "NOT covered by the signature: a journey's remark"
      case .contradicted: "contradicted by the signature"
      }
    }

    private func print(_ entry: EvidenceEntry, header: JSONObject, claims: JSONObject) {
      let record = entry.record
      var rows = [
        ("entry", "\(entry.number)"), ("kind", record.kind.rawValue),
        ("time", entry.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
        ("user", "\(record.username) (\(record.userID))"), ("realm", record.realm),
        ("journey", record.journey), ("node", record.nodeID), ("device", record.device),
        ("key", (try? JWK(json: record.key)).map { "\($0.thumbprint) (RFC 7638)" } ?? ""),
        ("attestation", record.attestation.map { JSONValue.object($0).text } ?? "none"),
        ("transaction", record.transaction.map { JSONValue.object($0).text } ?? "none"),
      ]
      if let proof = entry.transactionProof { rows.append(("", Self.remark(proof))) }
      rows += claims.map { ("  \($0.name)", $0.value.stringValue ?? $0.value.text) }
      rows += [
        ("algorithm", header["alg"]?.stringValue ?? ""),
        ("signature", "verifies with the recorded key; the token:"), ("", record.jws),
        ("previous", entry.previous.text), ("hash", entry.hash.text),
      ]
      for (name, value) in rows {
        // Claims have whatever names the signer chose, so a long one is not cut.
        let padding = String(repeating: " ", count: max(1, 13 - name.count))
        Output.line("\(printable(name))\(padding)\(printable(value))")
      }
    }
  }
}
