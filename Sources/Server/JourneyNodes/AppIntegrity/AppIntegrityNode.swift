internal import AppIntegrity
internal import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Asks the client which app it is, and verifies what it answers: App Attest's attestation and an assertion, or a TPM's attestation where
/// that is accepted. The challenge is valid for one answer, right or wrong.
///
/// The type, its properties and outcomes are ours, because the names of PingAM's additional app integrity nodes in an export are not known.
struct AppIntegrityNode: JourneyNode {
  private let services: NodeServices
  private let applicationIDs: [String]
  private let allowsDevelopment: Bool
  private let acceptsTPM: Bool

  /// Seconds that the client has; `nil` leaves it to the journey.
  private let timeout: Int?

  let outcomes = ["true", "false", "unsupported", "clientError"]
  let stateOutputs = [Self.result]

  /// What a verified answer says, in transient state for scripts (`VerifiedAppIntegrity.json`); no script can write it (`ReservedState`).
  static let result = "AppIntegrityCallback.RESULT"

  /// Added to the timeout for transmission. Seconds.
  private static let grace: TimeInterval = 60

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    applicationIDs = try definition.strings("applicationIds")
    guard !applicationIDs.isEmpty, !applicationIDs.contains("") else {
      throw definition.wrong(
        "applicationIds", "must list at least one App ID, such as ABCDE12345.com.example.app")
    }
    allowsDevelopment = try definition.flag("allowDevelopment", default: false)
    acceptsTPM = try definition.flag("acceptTpm", default: false)
    timeout = try definition.timeLimit()
  }

  var warnings: [String] {
    var warnings: [String] = []
    if acceptsTPM, services.appIntegrity?.trustsTPMs != true {
      warnings.append(
        "property acceptTpm is on, but no roots of TPMs are configured: no TPM's attestation can pass")
    }
    if allowsDevelopment {
      warnings.append(
        "property allowDevelopment is on: builds for App Attest's development environment pass, which can be debugged and changed"
      )
    }
    return warnings
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    // The result of an earlier answer says nothing about this one.
    context.state.forget(Self.result)
    guard let reply = context.reply, let issued = IssuedChallenge(notes: context.notes) else {
      let issued = IssuedChallenge.random(services)
      context.notes = issued.notes
      return .callbacks([
        OutgoingCallback(
          type: AppIntegrityField.callbackType,
          outputs: [.init(AppIntegrityField.challenge, .string(issued.challenge.wire))],
          inputs: AppIntegrityField.inputs.map { .init($0, "") })
      ])
    }
    if let error = reply.text(AppIntegrityField.clientError), !error.isEmpty {
      return context.outcome(
        error.hasSameBytes(as: AppIntegrityClientError.unsupported) ? "unsupported" : "clientError",
        because: "the client answered \(String(error.prefix(64)).quoted) instead of a proof")
    }
    let end = issued.issuedAt + (timeout.map(TimeInterval.init) ?? services.journeyTimeout) + Self.grace
    guard services.clock() <= end else {
      return context.outcome("false", because: "the answer came too late")
    }
    let key = SHA256.hash(data: Array("app integrity challenge ".utf8) + issued.challenge.bytes)
    guard try await services.store.consume(Array(key), until: end) else {
      return context.outcome("false", because: "the challenge has been answered before")
    }
    return await verify(reply, issued.challenge, in: &context)
  }

  private func verify(
    _ reply: CallbackReply, _ challenge: Challenge, in context: inout NodeContext
  ) async -> NodeResult {
    guard let verifier = services.appIntegrity else {
      return context.outcome("false", because: "this server is not configured to verify apps")
    }
    do throws(AppIntegrityFailure) {
      let verified = try await verifier.verify(
        AppIntegrityVerifier.Answer(
          attestation: reply.text(AppIntegrityField.attestation) ?? "",
          assertion: reply.text(AppIntegrityField.assertion) ?? "",
          keyID: reply.text(AppIntegrityField.keyID) ?? "",
          clientData: reply.text(AppIntegrityField.clientData) ?? ""),
        expecting: AppIntegrityVerifier.Expectations(
          challenge: challenge.wire, applicationIDs: applicationIDs, allowsDevelopment: allowsDevelopment,
          acceptsTPM: acceptsTPM))
      context.state.transient[Self.result] = .object(verified.json)
      return .outcome("true")
    } catch {
      return context.outcome("false", because: "the app's proof is refused: \(error)")
    }
  }
}
