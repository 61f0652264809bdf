import ArgumentParser
import Foundation
import PingBinding
import PingOrchestrate
import SigningTransactions
import StrictJSON

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
    if let text, ServerChallenge.isPossible(text) {
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
    if let username { try await requireKey(of: username) }
    let secrets = try await secrets.load()
    let (device, username) = (device, username)
    let keyStore = try device.chip.keyStore()
    let question = TransactionQuestion(isAnswered: yes)
    let claims = Dictionary(claims.compactMap(Self.split), uniquingKeysWith: { $1 })
    let player = JourneyPlayer(
      journey: server.makeJourney(), username: username, secrets: secrets, text: text
    ) { config in
      config.apply(device, keyStore: keyStore, secrets: secrets, username: username)
      config.claims = claims
      config.transactionConfirmation = { await question.ask($0) }
    }
    if let transaction {
      try report(try await player.play(transaction: transaction), of: transaction)
      return
    }
    let name = journey ?? (text == nil ? "SignIn" : "SignTransaction")
    let outcome = try await player.play(name)
    guard let jws = outcome.deviceAnswer["jws"] else {
      throw CommandFailure(
        "Journey \(name) succeeded without a signature. Choose one with a Device Signing Verifier node.")
    }
    if json {
      var object: JSONObject = ["journey": .string(name), "verified": true, "jws": .string(jws)]
      // A journey may verify a signature and sign nobody in.
      if !outcome.session.value.isEmpty { object["tokenId"] = .string(outcome.session.value) }
      Output.json(.object(object))
    } else {
      Output.line("Signed, and the server accepted the signature.")
    }
  }

  private func report(_ outcome: JourneyPlayer.Outcome, of id: String) throws {
    guard let jws = outcome.deviceAnswer["jws"], let transaction = outcome.transaction else {
      throw CommandFailure(
        "The transaction's journey succeeded without a signature. Its application's log should say why.")
    }
    if json {
      Output.json([
        "transaction": .string(id), "verified": true, "fields": .object(transaction.json),
        "jws": .string(jws),
      ])
    } else {
      Output.line("Approved, and the server accepted the signature.")
    }
  }

  /// A device with one key signs with it without asking, so whose it is must be checked before.
  private func requireKey(of username: String) async throws {
    let names = try await BindingModule.getAllKeys().map { $0.username.lowercased() }
    guard names.contains(username.lowercased()) else {
      throw CommandFailure(
        "There is no key of \(printable(username)) on this device. Bind it first with `sealring bind`.")
    }
  }

  private static func split(_ claim: String) -> (String, String)? {
    guard let equals = claim.firstIndex(of: "="), equals != claim.startIndex else { return nil }
    return (String(claim[..<equals]), String(claim[claim.index(after: equals)...]))
  }
}
