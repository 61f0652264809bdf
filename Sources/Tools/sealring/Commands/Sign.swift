import ArgumentParser
import BindingFormats
import Foundation
import JOSE
import PingBinding
import PingOrchestrate
import SigningTransactions
import StrictJSON
import TerminalText

/// `sealring sign`: proves possession of a bound key, or signs a transaction with it.
struct Sign: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sign in with a bound key, or sign a transaction.",
    discussion: """
      Without --text the key answers the server's random challenge (journey SignIn). With --text the text itself is \
      signed (journey SignTransaction). With --transaction the key approves what an application has asked for, after all \
      of it was shown. Claims are context that the server can read; they prove nothing by themselves.
      """)

  @OptionGroup var server: ServerOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var secrets: SecretOptions

  @Option(help: "The journey that verifies. Default: SignIn, with --text SignTransaction.")
  var journey: String?

  @Option(help: "Whose key to use, when this device has several.")
  var username: String?

  @Option(help: "The text to sign, such as a payment.")
  var text: String?

  @Option(
    parsing: .unconditional, help: "The id of a transaction to approve, as its application gave it to you.")
  var transaction: String?

  @Flag(help: "Approve the transaction without being asked; it is shown all the same.")
  var yes = false

  @Option(
    name: .customLong("claim"),
    help: ArgumentHelp("A further claim of the signed token; may be repeated.", valueName: "name=value"))
  var claims: [String] = []

  @Flag(help: "Print the result as JSON.")
  var json = false

  func validate() throws {
    for claim in claims where Self.split(claim) == nil {
      throw ValidationError("--claim needs name=value, not '\(claim)'.")
    }
    try validateTransaction()
  }

  private func validateTransaction() throws {
    if let text, Challenge.isReserved(text) {
      throw ValidationError(
        "--text must not look like a server's challenge (44 characters of Base64): no server has that signed as a text."
      )
    }
    guard transaction != nil else {
      if yes { throw ValidationError("--yes goes with --transaction.") }
      return
    }
    if text != nil || journey != nil {
      throw ValidationError(
        "--transaction goes with neither --text nor --journey: its application has chosen both.")
    }
  }

  func run() async throws {
    let username = username ?? CurrentSettings.user
    if let username { try await requireKey(of: username) }
    let secrets = try await secrets.load()
    let device = device
    let keyStore = try device.chip.keyStore()
    let known = KnownKeys(username: username, server: server)
    let question = TransactionQuestion(server: server, account: await known.account(), isAnswered: yes)
    let claims = Dictionary(claims.compactMap(Self.split), uniquingKeysWith: { $1 })
    var player = JourneyPlayer(
      journey: server.makeJourney(), username: username, secrets: secrets, text: text
    ) { config in
      config.apply(device, keyStore: keyStore, secrets: secrets, username: username)
      config.claims = claims
    }
    player.configureSigning = { config, context in
      config.transactionConfirmation = { await question.ask($0, context) }
    }
    player.triesLeft = { await known.triesLeft(in: keyStore) }
    if let transaction {
      do {
        try await report(try await player.play(transaction: transaction), of: transaction)
      } catch let failure as CommandFailure { throw question.failure(or: failure) }
      return
    }
    let name = journey ?? (text == nil ? "SignIn" : "SignTransaction")
    let outcome = try await player.play(name)
    guard let jws = outcome.deviceAnswer["jws"] else {
      throw CommandFailure(
        "Journey \(name) succeeded without a signature. Choose one with a Device Signing Verifier node.",
        code: .unsupported)
    }
    let signer = try await Signer(of: jws)
    if json {
      var object: JSONObject = ["journey": .string(name), "verified": true, "jws": .string(jws)]
      object.merge(signer.json)
      object["evidence"] = outcome.evidence.map { .integer(Int64($0)) }
      // A journey may verify a signature and sign nobody in.
      if !outcome.session.value.isEmpty {
        OpenSessions.ofThisCommand.keep()
        object["tokenId"] = .string(outcome.session.value)
      }
      Output.json(.object(object))
    } else {
      Output.line("Signed, and the server accepted the signature.")
      Output.remark(signer.text(evidence: outcome.evidence))
      if !outcome.session.value.isEmpty {
        Output.remark("The session has ended with this command; --json hands it over.")
      }
    }
  }

  private func report(_ outcome: JourneyPlayer.Outcome, of id: String) async throws {
    guard let jws = outcome.deviceAnswer["jws"], let transaction = outcome.transaction else {
      throw CommandFailure(
        "The transaction's journey succeeded without a signature. Its application's log should say why.",
        code: .unsupported)
    }
    let signer = try await Signer(of: jws)
    if json {
      var object: JSONObject = [
        "transaction": .string(id), "verified": true, "fields": .object(transaction.json),
        "jws": .string(jws),
      ]
      object.merge(signer.json)
      object["evidence"] = outcome.evidence.map { .integer(Int64($0)) }
      Output.json(.object(object))
    } else {
      Output.line("Approved, and the server accepted the signature.")
      Output.remark(signer.text(evidence: outcome.evidence))
    }
  }

  /// A device with one key signs with it without asking, so whose it is must be checked before.
  private func requireKey(of username: String) async throws {
    let keys = try await BindingModule.getAllKeys().filter {
      $0.username.lowercased() == username.lowercased()
    }
    guard !keys.isEmpty else {
      throw CommandFailure(
        "There is no key of \(printable(username)) on this device. Bind it first with `sealring bind`.",
        code: .notFound)
    }
    guard keys.contains(where: { $0.isUsable(at: server.baseAddress, realm: server.realm) }) else {
      throw CommandFailure(
        "The keys of \(printable(username)) on this device belong to other servers or realms; `sealring keys list` shows which. Bind the device here with `sealring bind`.",
        code: .notFound)
    }
  }

  private static func split(_ claim: String) -> (String, String)? {
    guard let equals = claim.firstIndex(of: "="), equals != claim.startIndex else { return nil }
    return (String(claim[..<equals]), String(claim[claim.index(after: equals)...]))
  }
}

/// Who signed, and with which key.
private struct Signer {
  private let keyID: String
  private let username: String?

  init(of jws: String) async throws {
    let kid = (try? UnverifiedJWS(compact: jws))?.header.keyID ?? ""
    keyID = kid
    username = try await BindingModule.getAllKeys().first { $0.kid == kid }?.username
  }

  var json: JSONObject {
    ["kid": .string(keyID), "username": username.map { .string($0) } ?? .null]
  }

  func text(evidence: Int?) -> String {
    let rows = TerminalText.rows([
      ("Account", username ?? ""), ("Key", keyID),
      ("Evidence", evidence.map { "entry \($0) of the server's ledger" } ?? ""),
    ])
    return String(rows.dropLast())
  }
}
