import BindingFormats
import EvidenceLedger
import Foundation
import JOSE
import SigningTransactions
import StrictJSON

/// Explains an entry to people who know nothing about ledgers: who signed what, when, where, with which key and device.
struct ProofReport {
  private let entry: EvidenceEntry
  private let statement: SignedStatement
  private let claims: JSONObject
  private let algorithm: String

  init(_ entry: EvidenceEntry) {
    self.entry = entry
    statement = SignedStatement(entry)
    let token = try? UnverifiedJWS(compact: entry.record.jws, limits: .withCertificates)
    claims = token.flatMap { try? JSONObject(parsing: $0.payload) } ?? [:]
    algorithm = token?.header.json["alg"]?.stringValue ?? "?"
  }

  private var summary: String {
    switch statement {
    case .transaction(let transaction, _): "signed: \(transaction.summary(pattern: "{amount} to {payee}"))"
    case .text: "signed a text"
    case .signIn: "confirmed a sign-in"
    case .binding: "bound a new key"
    case .certificate: "got an SSH certificate"
    }
  }

  private var fields: [(String, String)] {
    switch statement {
    case .transaction(let transaction, let id):
      var rows = transaction.fields.filter { $0.name != .currency }.map { field in
        (
          field.name.rawValue,
          field.name == .amount ? "\(field.value) \(transaction.currency ?? "")" : field.value
        )
      }
      rows.append(("id", id))
      return rows
    case .text(let text), .certificate(let text): return [("text", text)]
    case .signIn, .binding: return []
    }
  }

  /// The facts in the file, one per line; the first line summarizes them.
  var lines: [String] {
    let record = entry.record
    let application = claims[ProofClaim.issuer]?.stringValue.map { ", application \($0)" } ?? ""
    let thumbprint = (try? JWK(json: record.key)).map { "\($0.thumbprint) (RFC 7638)" } ?? "unknown"
    var rows = fields.map { ("  \($0.0)", $0.1) }
    if let added = entry.applicationClaims { rows.append(("added", "\(added) (by the application)")) }
    rows += [
      ("when", "\(Times.text(entry.date)), by the server's clock"),
      ("where", "realm \(record.realm), journey \(record.journey)\(application)"),
      ("key", "\(thumbprint), \(algorithm)"),
      (
        "device",
        "\(record.device)\(record.attestation == nil ? ", not attested" : ", attested by its maker")"
      ),
    ]
    switch entry.transactionProof {
    case .txn: rows.append(("shown", "the device says that it showed these fields (txn)"))
    case .plain: rows.append(("shown", "the device does not say that it showed these fields"))
    default: break
    }
    return ["\(printable(record.username)) (\(printable(record.realm))) \(printable(summary))"]
      + rows.map { name, value in
        name + String(repeating: " ", count: max(1, 9 - name.count)) + printable(value)
      }
  }

  /// The facts as JSON, for programs.
  var json: JSONValue {
    [
      "summary": .string(summary), "application": claims[ProofClaim.issuer] ?? .null,
      "fields": .object(JSONObject(fields.map { ($0.0, .string($0.1)) })),
    ]
  }
}
