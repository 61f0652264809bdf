internal import BindingFormats
internal import JourneyEngine
internal import JourneyStore
internal import SigningTransactions
internal import StrictJSON

/// Has a bound device sign a challenge: sends `DeviceSigningVerifierCallback` and verifies the proof by the stored key.
///
/// Without a user in state the proof's `sub` says who it is; after success the user is in state. In a journey that is run
/// for a transaction, the challenge is the transaction's, whatever the properties say.
struct DeviceSigningVerifierNode: JourneyNode {
  /// The proof as signed, for later nodes and scripts. Both shared and transient state have it, because scripts of
  /// different ages look in either.
  static let proofVariable = "DeviceSigningVerifierNode.JWT"

  /// Why a proof failed, in shared state, when the node captures failures.
  static let failureVariable = "DeviceSigningVerifierNode.FAILURE"

  private let services: NodeServices
  private let verification: SigningVerification
  static let success = "success"
  private let transactions: TransactionSigning
  private let settings: BindingNodeSettings

  /// The state variable that holds the text to sign; `nil` for a random challenge.
  private let challengeVariable: String?
  private let capturesFailure: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    settings = try BindingNodeSettings(
      definition, ownOutcomes: ["success", "failure", "noDeviceRegistered", "keyNotFound"])
    let variable = try definition.string("sharedStateAttribute")
    if try definition.flag(BindingField.challenge, default: true) {
      challengeVariable = nil
    } else {
      guard !variable.isEmpty else {
        throw definition.wrong(
          "sharedStateAttribute", "must name the state variable to sign, because `challenge` is off")
      }
      challengeVariable = variable
    }
    capturesFailure = try definition.flag("captureFailure", default: false, instead: false)
    transactions = TransactionSigning(services: services)
    verification = SigningVerification(services: services, settings: settings)
  }

  var outcomes: [String] {
    ["success", "failure", "noDeviceRegistered", "keyNotFound"] + settings.clientErrorOutcomes
  }

  /// An answer that is refused by its form alone has no effects; see ``SigningVerification`` for the others.
  var stepUse: StepUse { .withAnswer }

  var stateInputs: [String] { challengeVariable.map { [$0] } ?? [] }

  var stateOutputs: [String] {
    [StateKey.username, Self.proofVariable, Evidence.numberVariable]
      + (capturesFailure ? [Self.failureVariable] : [])
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let reply = context.reply, let issued = IssuedChallenge(notes: context.notes) else {
      return try await ask(in: &context)
    }
    // Several parts write the outcome of a transaction, and none may act for a repeated answer.
    if issued.challenge.transaction != nil { try await context.useStep(of: services.store) }
    try await transactions.noteCancellation(reply, of: issued.challenge, in: &context)
    switch issued.answer(reply, settings, now: services.clock(), in: &context) {
    case .outcome(let outcome): return .outcome(outcome)
    case .proof(let jws): return try await decide(on: jws, issued.challenge, in: &context)
    }
  }

  private func ask(in context: inout NodeContext) async throws -> NodeResult {
    let offered = try await transactions.offer(in: &context)
    let offer = offered?.offer
    var userID = ""
    if context.state.username != nil {
      // An unknown name looks like a user without devices: PingAM's `failure` would tell which names exist.
      guard let user = try await services.user(in: &context) else {
        return context.outcome("noDeviceRegistered", because: "there is no such user")
      }
      // Checked before anything of the transaction is shown.
      try offered?.record.require(user)
      // As in PingAM, nobody is asked for a signature that cannot count.
      guard user.isActive else {
        let inactive = ProofFailure.userNotActive
        if capturesFailure { context.state.shared[Self.failureVariable] = .string(inactive.captured) }
        return context.outcome("failure", because: inactive.text)
      }
      guard try await !services.store.boundDevices.all(of: user.account).isEmpty else {
        return context.outcome("noDeviceRegistered", because: "the user has no bound device")
      }
      userID = user.universalID
    }
    let issued: IssuedChallenge
    do throws(ProofFailure) {
      issued = try issue(offer, context.state)
    } catch {
      return try failed(error, in: &context)
    }
    context.notes = issued.notes
    return .callbacks([
      OutgoingCallback(
        type: BindingCallbackType.sign,
        outputs: [.init(BindingField.userID, .string(userID))]
          + settings.outputs(
            of: issued.challenge, locales: context.request.locales, journeyTimeout: services.journeyTimeout)
          + (offer.map { [.init(BindingField.transaction, .object(Self.output($0, context.state)))] } ?? []),
        inputs: [.init(BindingField.jws, ""), .init(BindingField.clientError, "")])
    ])
  }

  /// The challenge of this run: the transaction's, the text in state, or random bytes.
  private func issue(
    _ offer: OfferedTransaction?, _ state: JourneyState
  ) throws(ProofFailure) -> IssuedChallenge {
    if let offer { return IssuedChallenge(challenge: .transaction(offer), issuedAt: services.clock()) }
    guard let challengeVariable else { return .random(services) }
    guard let text = state[challengeVariable]?.stringValue, !text.isEmpty else { throw .challengeMissing }
    guard !Challenge.isReserved(text) else { throw .challengeReserved }
    return IssuedChallenge(challenge: .text(text), issuedAt: services.clock())
  }

  /// The offer, together with what the server says about it.
  private static func output(_ offer: OfferedTransaction, _ state: JourneyState) -> JSONObject {
    var output = offer.json
    let context = TransactionSigning.context(of: state).json
    if !context.isEmpty { output[TransactionContext.member] = .object(context) }
    return output
  }

  private func decide(
    on jws: String, _ challenge: Challenge, in context: inout NodeContext
  ) async throws -> NodeResult {
    let answered = try await transactions.answered(challenge, context)
    switch try await verification.verdict(on: jws, challenge, transaction: answered, &context) {
    case .passed(let user, let evidence):
      context.state.username = user.username
      context.state.noteAccount(user.id)
      if challenge.purpose == .possession {
        context.state.noteAuthentication(at: services.clock(), by: "bound-key")
      }
      context.state.shared[Self.failureVariable] = nil
      context.state.shared[Self.proofVariable] = .string(jws)
      context.state.transient[Self.proofVariable] = .string(jws)
      context.state.shared[Evidence.numberVariable] = evidence.map(JSONValue.integer)
      if let answered { try transactions.keep(jws, by: user, for: answered.offer, in: &context) }
      return .outcome(Self.success)
    case .noDevice:
      return context.outcome("noDeviceRegistered", because: "the user has no bound device")
    case .keyNotFound(let reason):
      return context.outcome("keyNotFound", because: reason)
    case .failed(let failure):
      try await transactions.refuse(challenge, reason: failure.captured, in: &context)
      return try failed(failure, in: &context)
    }
  }

  /// Ends the journey as a failed login unless the node captures failures, as PingAM does.
  private func failed(_ failure: ProofFailure, in context: inout NodeContext) throws -> NodeResult {
    guard capturesFailure else { throw NodeError(failure.text) }
    context.state.shared[Self.failureVariable] = .string(failure.captured)
    return context.outcome("failure", because: failure.text)
  }
}
