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
  private let transactions: TransactionSigning
  private let prompt: DevicePrompt

  /// The state variable that holds the text to sign; `nil` for a random challenge.
  private let challengeVariable: String?
  private let capturesFailure: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    prompt = try DevicePrompt(
      definition, ownOutcomes: ["success", "failure", "noDeviceRegistered", "keyNotFound"])
    let variable = try definition.string("sharedStateAttribute")
    if try definition.flag("challenge", default: true) {
      challengeVariable = nil
    } else {
      guard !variable.isEmpty else {
        throw definition.wrong(
          "sharedStateAttribute", "must name the state variable to sign, because `challenge` is off")
      }
      challengeVariable = variable
    }
    capturesFailure = try definition.flag("captureFailure", default: false)
    transactions = TransactionSigning(services: services)
    verification = SigningVerification(services: services, prompt: prompt)
  }

  var outcomes: [String] {
    ["success", "failure", "noDeviceRegistered", "keyNotFound"] + prompt.clientErrorOutcomes
  }

  var stateInputs: [String] { challengeVariable.map { [$0] } ?? [] }

  var stateOutputs: [String] {
    [StateKey.username, Self.proofVariable, Evidence.numberVariable]
      + (capturesFailure ? [Self.failureVariable] : [])
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let reply = context.reply, let visit = DeviceVisit(notes: context.notes) else {
      return try await ask(&context)
    }
    try await transactions.noteCancellation(reply, &context)
    switch prompt.answer(reply, to: visit, now: services.clock(), &context) {
    case .outcome(let outcome): return .outcome(outcome)
    case .proof(let jws): return try await decide(on: jws, visit, &context)
    }
  }

  private func ask(_ context: inout NodeContext) async throws -> NodeResult {
    let offer = try await transactions.offer(&context)
    var userID = ""
    if let username = context.state.username {
      // An unknown name looks like a user without devices.
      guard let user = try await services.store.user(named: username, realm: context.request.realm),
        try await !services.store.boundDevices.all(of: user.account).isEmpty
      else {
        context.remark("the user has no bound device")
        return .outcome("noDeviceRegistered")
      }
      userID = user.universalID
    }
    var visit = DeviceVisit(services: services)
    if let offer {
      visit.challenge = offer.challenge
    } else if let challengeVariable {
      guard let text = context.state[challengeVariable]?.stringValue, !text.isEmpty else {
        return try failed(.challengeMissing, &context)
      }
      guard !ServerChallenge.isPossible(text) else { return try failed(.challengeReserved, &context) }
      visit.challenge = text
    }
    context.notes = visit.notes
    if let offer { context.notes.merge(transactions.notes(of: offer)) }
    return .callbacks([
      OutgoingCallback(
        type: "DeviceSigningVerifierCallback",
        outputs: [.init("userId", .string(userID))]
          // Clients that know nothing of transactions show the description.
          + prompt.outputs(
            challenge: visit.challenge, text: offer?.transaction.lines.joined(separator: "\n"),
            locales: context.request.locales)
          + (offer.map { [.init("transaction", .object(Self.output($0, context.state)))] } ?? []),
        inputs: [.init("jws", ""), .init("clientError", "")])
    ])
  }

  /// The offer, and beside it what the server says about it.
  private static func output(_ offer: OfferedTransaction, _ state: JourneyState) -> JSONObject {
    var output = offer.json
    let context = TransactionSigning.context(of: state).json
    if !context.isEmpty { output[TransactionContext.member] = .object(context) }
    return output
  }

  private func decide(
    on jws: String, _ visit: DeviceVisit, _ context: inout NodeContext
  ) async throws -> NodeResult {
    var visit = visit
    let answered = try await transactions.answered(context)
    if let answered { visit.challenge = answered.offer.challenge }
    switch try await verification.verdict(on: jws, visit, transaction: answered, context) {
    case .passed(let user, let evidence):
      context.state.username = user.username
      // Who signs a text or a transaction has not asked to be signed in.
      if challengeVariable == nil, answered == nil {
        context.state.noteAuthentication(at: services.clock(), by: "bound-key")
      }
      context.state.shared[Self.failureVariable] = nil
      context.state.shared[Self.proofVariable] = .string(jws)
      context.state.transient[Self.proofVariable] = .string(jws)
      context.state.shared[Evidence.numberVariable] = .integer(evidence)
      if let answered { try transactions.keep(jws, by: user, for: answered.offer, &context) }
      return .outcome("success")
    case .noDevice:
      context.remark("the user has no bound device")
      return .outcome("noDeviceRegistered")
    case .keyNotFound(let reason):
      context.remark(reason)
      return .outcome("keyNotFound")
    case .failed(let failure):
      try await transactions.refuse(&context, reason: failure.captured)
      return try failed(failure, &context)
    }
  }

  /// PingAM stops the journey unless the node captures failures; so does this, as a failed login.
  private func failed(_ failure: ProofFailure, _ context: inout NodeContext) throws -> NodeResult {
    guard capturesFailure else { throw NodeError(failure.text) }
    context.remark(failure.text)
    context.state.shared[Self.failureVariable] = .string(failure.captured)
    return .outcome("failure")
  }
}
