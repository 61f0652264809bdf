import ArgumentParser
import BindingFormats
import JOSE
import PingBinding
import PingOrchestrate
import SigningTransactions
import StrictJSON

struct Sign: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sign in with a bound key, or sign a transaction.",
    discussion: """
      Without --text the key answers the server's random challenge (journey SignIn). With --text the text itself is \
      signed (journey SignTransaction). With --transaction the key approves what an application has requested, after showing you all of \
      it. Claims are context that the server can read; they prove nothing by themselves.
      """)

  @OptionGroup var server: ServerOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var secrets: SecretOptions

  @Option(help: "The journey that verifies. Default: SignIn, with --text SignTransaction.")
  var journey: String?

  @Option(help: "Whose key to use, when this device has several.")
  var username: String?

  @Option(help: "The text to sign, such as a payment. No other text is signed.")
  var text: String?

  @Option(
    parsing: .unconditional, help: "The id of a transaction to approve, as its application gave it to you.")
  var transaction: String?

  @Flag(help: "Approve the transaction without being asked; it is still shown.")
  var yes = false

  @Option(
    name: .customLong("claim"),
    help: ArgumentHelp("A further claim of the signed token; may be repeated.", valueName: "name=value"))
  var claims: [String] = []

  @OptionGroup var output: ResultOptions

  func validate() throws {
    for claim in claims where Self.split(claim) == nil {
      throw ValidationError("--claim needs name=value, not '\(claim)'.")
    }
    if let text, Challenge.isReserved(text) {
      throw ValidationError(
        "--text must not look like a server's challenge (44 characters of Base64): no server has that signed as a text."
      )
    }
    guard transaction != nil else {
      if yes { throw ValidationError("--yes needs --transaction.") }
      return
    }
    if text != nil || journey != nil {
      throw ValidationError(
        "--transaction cannot be combined with --text or --journey: its application has chosen both.")
    }
  }

  func run() async throws {
    let username = username ?? CurrentSettings.user
    if let username { try await requireKey(of: username) }
    let secrets = try await secrets.load()
    let account = await KnownKeys(username: username, server: server).account()
    let question = TransactionQuestion(
      server: server, account: account, isAnswered: yes, text: text, isTextOnly: text != nil)
    let claims = Dictionary(claims.compactMap(Self.split), uniquingKeysWith: { $1 })
    var player = try device.player(at: server, for: username, secrets: secrets, question: question)
    player.text = text
    player.configureSigning = { config, context in
      config.claims = claims
      config.transactionConfirmation = { await question.ask($0, context) }
    }
    if let transaction {
      let outcome: JourneyPlayer.Outcome
      do { outcome = try await player.play(transaction: transaction) } catch let failure as CommandFailure {
        throw question.failure(or: failure)
      }
      guard let signed = outcome.transaction else {
        throw outcome.refusal ?? Self.unsigned("The transaction's journey")
      }
      return try await report(
        outcome, by: "The transaction's journey", "Approved, and the server accepted the signature.",
        ["transaction": .string(transaction), "verified": true, "fields": .object(signed.json)])
    }
    let name = journey ?? (text == nil ? "SignIn" : "SignTransaction")
    let outcome = try await player.play(name)
    try await report(
      outcome, by: "Journey \(name)", "Signed, and the server accepted the signature.",
      ["journey": .string(name), "verified": true], session: outcome.session)
  }

  private static func unsigned(_ journey: String) -> CommandFailure {
    CommandFailure.unsupported(
      "\(journey) succeeded without a signature. It needs a Device Signing Verifier node.")
  }

  /// Reports the account and the key of a signature.
  ///
  /// - Parameter session: A session to hand over; `nil` for journeys that only verify a signature.
  private func report(
    _ outcome: JourneyPlayer.Outcome, by journey: String, _ sentence: String, _ members: JSONObject,
    session: (any Session)? = nil
  ) async throws {
    guard let jws = outcome.deviceAnswer["jws"] else { throw outcome.refusal ?? Self.unsigned(journey) }
    let signed = try? UnverifiedJWS(compact: jws)
    if let text {
      let challenge = signed.flatMap { try? JSONValue(parsing: $0.payload) }?[ProofClaim.challenge]?
        .stringValue
      guard challenge?.hasSameBytes(as: text) == true else {
        throw CommandFailure.unsupported(
          "\(journey) ended without a signature of the text; the server asked for another one. Choose a journey that signs texts "
            + "with --journey."
        )
      }
    }
    let kid = signed?.header.keyID ?? ""
    let username = try await BindingModule.getAllKeys().first { $0.kid == kid }?.username
    if output.json {
      var object = members
      object["jws"] = .string(jws)
      object["kid"] = .string(kid)
      object["username"] = username.map { .string($0) } ?? .null
      object["evidence"] = outcome.evidence.map { .integer($0) }
      if let session, !session.value.isEmpty { object["tokenId"] = .string(session.value) }
      Output.json(.object(object))
    } else {
      Output.line(sentence)
      let rows = TerminalText.rows([
        ("Account", username ?? ""), ("Key", kid),
        ("Evidence", outcome.evidence.map { "entry \($0) of the server's ledger" } ?? ""),
      ])
      Output.remark(String(rows.dropLast()))
    }
    if let session { output.handOver(session) }
  }

  /// Checks that the device has a key of the user: with a single key, the device would sign without asking whose it is.
  private func requireKey(of username: String) async throws {
    let keys = try await BindingModule.getAllKeys().filter {
      $0.username.lowercased() == username.lowercased()
    }
    guard !keys.isEmpty else {
      throw CommandFailure.notFound(
        "There is no key of \(printable(username)) on this device. Bind it first with `sealring bind`.")
    }
    guard keys.contains(where: { $0.isUsable(at: server.baseAddress, realm: server.realm) }) else {
      throw CommandFailure.notFound(
        "The keys of \(printable(username)) on this device belong to other servers or realms; `sealring keys list` shows which. "
          + "Bind the device here with `sealring bind`."
      )
    }
  }

  private static func split(_ claim: String) -> (String, String)? {
    guard let equals = claim.firstIndex(of: "="), equals != claim.startIndex else { return nil }
    return (String(claim[..<equals]), String(claim[claim.index(after: equals)...]))
  }
}
