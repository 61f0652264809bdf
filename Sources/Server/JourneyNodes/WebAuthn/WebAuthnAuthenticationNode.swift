internal import BindingFormats
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON
internal import WebAuthnFormats
internal import WebAuthnVerification

/// Authenticates by a registered WebAuthn credential (WebAuthn L3 §7.2): one of the user's, or with `requiresResidentKey` one that
/// identifies the user.
struct WebAuthnAuthenticationNode: JourneyNode {
  private let services: NodeServices
  private let party: WebAuthnParty
  private let allowsRecoveryCode: Bool

  /// Whether the credential says who the user is (username from device).
  private let findsUser: Bool
  private let detectsCopies: Bool

  /// Whether names without credentials are asked for decoy credentials.
  private let hasDecoys: Bool

  /// The AppID under which keys were registered with U2F before this server.
  private let appID: WebAuthnAppID?

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    party = try WebAuthnParty(definition, services: services)
    allowsRecoveryCode = try definition.flag("isRecoveryCodeAllowed", default: false, instead: false)
    findsUser = try definition.flag("requiresResidentKey", default: false)
    detectsCopies = try definition.flag("detectSignCountMismatch", default: false, instead: true)
    hasDecoys = try definition.flag("decoyCredentials", default: false, instead: true)
    appID = try WebAuthnAppID(definition, domain: party.domain)
  }

  var outcomes: [String] {
    ["unsupported", "noDevice", "success", "failure", "error"]
      + (allowsRecoveryCode ? ["recoveryCode"] : []) + (detectsCopies ? ["successSignCountMismatch"] : [])
  }

  var stateInputs: [String] { findsUser ? [] : [StateKey.username] }
  var stateOutputs: [String] { findsUser ? [StateKey.username] : [] }
  var warnings: [String] { party.warnings }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    var devices: [WebAuthnDeviceRecord] = []
    if !findsUser {
      // An unknown name looks like a user without devices.
      devices = try await services.store.webAuthnDevices.all(
        of: UniversalID(username: try context.requiredUsername(), realm: context.request.realm))
      guard hasDecoys || !devices.isEmpty else { return noDevice(in: &context) }
    }
    guard let reply = context.reply, let challenge = WebAuthnChallenge(notes: context.notes) else {
      let challenge = try newChallenge()
      // Authenticators know a credential under the id that it was registered for, and no other.
      devices.removeAll { !challenge.asks(for: $0.relyingPartyID) }
      guard findsUser || hasDecoys || !devices.isEmpty else { return noDevice(in: &context) }
      return try ask(devices, challenge, in: &context)
    }
    devices.removeAll { !challenge.asks(for: $0.relyingPartyID) }
    let hidden = party.asScript ? 2 : 1
    let answer = WebAuthnReply<AssertionResponse>(reply, hidden: hidden, hasButton: allowsRecoveryCode)
    context.state.shared[WebAuthnState.challenge] = nil
    switch answer {
    case .nothing: return try ask(devices, challenge, in: &context)
    case .recoveryCode: return .outcome("recoveryCode")
    case .unsupported: return .outcome("unsupported")
    case .failed(let error): return WebAuthnNode.clientFailed(error, in: &context)
    case .unreadable(let error):
      return failure(WebAuthnFailure(.malformedResponse, error.description), in: &context)
    case .completed(let response, let attachment):
      do {
        return try await judge(response, attachment, challenge, devices, in: &context)
      } catch let refusal as WebAuthnFailure {
        try await count(refusal, context)
        return failure(refusal, in: &context)
      }
    }
  }

  /// U2F keys cannot identify the user, so the AppID is useful only where the user's credentials are listed. It is sent whatever the
  /// credentials are, so that it does not reveal which keys somebody has.
  private func newChallenge() throws(NodeError) -> WebAuthnChallenge {
    let id = try party.id()
    guard let appID, !findsUser else { return WebAuthnChallenge(relyingPartyID: id, services: services) }
    try appID.check(for: id)
    return WebAuthnChallenge(relyingPartyID: id, appID: appID.text, services: services)
  }

  private func ask(
    _ devices: [WebAuthnDeviceRecord], _ challenge: WebAuthnChallenge, in context: inout NodeContext
  ) throws -> NodeResult {
    var allowed = devices.map(\.credentialID)
    if !findsUser, allowed.isEmpty {
      allowed = services.decoys.ids(
        username: try context.requiredUsername(), realm: context.request.realm,
        relyingPartyID: challenge.relyingPartyID)
    }
    var extensions = context.state[WebAuthnState.extensions]?.objectValue ?? JSONObject()
    if let appID = challenge.appID { extensions["appid"] = .string(appID) }
    let options = WebAuthnRequestOptions(
      challenge: challenge, userVerification: party.userVerification.rawValue, allowedIDs: allowed,
      extensions: extensions, timeoutMilliseconds: party.timeout * 1000,
      allowsRecoveryCode: allowsRecoveryCode)
    let question = party.question(
      challenge, script: options.script, metadata: options.metadata, in: &context)
    return .callbacks(
      question + (allowsRecoveryCode ? [StandardCallback.button("Use Recovery Code")] : []))
  }

  // MARK: The answer

  /// - Throws: ``WebAuthnFailure``, or what the store throws.
  private func judge(
    _ response: AssertionResponse, _ attachment: AuthenticatorAttachment?, _ challenge: WebAuthnChallenge,
    _ devices: [WebAuthnDeviceRecord], in context: inout NodeContext
  ) async throws -> NodeResult {
    try await challenge.consume(timeout: party.timeout, services: services)
    let realm = context.request.realm
    let found =
      findsUser
      ? try await services.store.webAuthnDevice(credentialID: response.credentialID, realm: realm)
      : devices.first { $0.credentialID == response.credentialID }
    guard let device = found else {
      if findsUser, try await !hasDevices(response.userHandle, realm: realm) { return noDevice(in: &context) }
      throw WebAuthnFailure(
        .unknownCredential, "\(findsUser ? "nobody" : "the user") has a credential of this id")
    }
    guard challenge.asks(for: device.relyingPartyID) else {
      throw WebAuthnFailure(
        .rpIdMismatch,
        "the credential was registered for \(device.relyingPartyID.quoted), "
          + "and the question was for \(challenge.relyingPartyID.quoted)")
    }
    guard var credential = device.credential else {
      throw NodeError("the stored key of the WebAuthn device \(device.uuid) cannot be read")
    }
    credential.appID = device.relyingPartyID == challenge.relyingPartyID ? nil : device.relyingPartyID
    let verified = try AssertionVerifier(
      AssertionVerifier.Policy(
        relyingParty: party.party(id: challenge.relyingPartyID), appID: challenge.appID,
        userVerification: party.userVerification, requiresUserHandle: findsUser)
    ).verify(response, challenge: challenge.bytes, credential: credential)
    guard let user = try await services.store.user(named: device.username, realm: realm), user.isActive else {
      return failure("the user is not active", in: &context)
    }
    let now = services.clock()
    guard try await services.lock(.signatures, of: user, in: context.request).recordSuccess() else {
      return failure("the account is locked after too many failures", in: &context)
    }
    let use = try await services.store.recordWebAuthnUse(
      WebAuthnUse(
        signCount: verified.signCount, isBackedUp: verified.flags.contains(.backedUp),
        isUserVerified: verified.flags.contains(.userVerified), date: now),
      credentialID: device.credentialID, realm: realm)
    if use == .noSuchDevice {
      throw WebAuthnFailure(.unknownCredential, "the device was deleted meanwhile")
    }
    if findsUser { context.state.username = user.username }
    context.state.noteAccount(user.id)
    context.state.shared[WebAuthnState.deviceUUID] = .string(device.uuid)
    context.state.shared[WebAuthnState.deviceName] = .string(device.deviceName)
    context.state.transient[WebAuthnState.assertionInfo] = WebAuthnState.info(
      verified.flags, attachment: attachment)
    if use == .recorded || !detectsCopies { context.state.noteAuthentication(at: now, by: "passkey") }
    guard use == .counterNotAdvanced else { return .outcome("success") }
    return context.outcome(
      detectsCopies ? "successSignCountMismatch" : "success",
      because:
        "the counter of the WebAuthn device \(device.uuid) did not advance from \(credential.signCount): there may be a copy of it"
    )
  }

  /// Whether the account that a user handle names has WebAuthn devices.
  private func hasDevices(_ userHandle: [UInt8]?, realm: String) async throws -> Bool {
    guard let userHandle else {
      throw WebAuthnFailure(
        .userHandleMismatch, "the answer has no user handle, and the account is unknown")
    }
    guard let name = WebAuthnUserHandle.username(userHandle) else { return false }
    return try await !services.store.webAuthnDevices.all(of: UniversalID(username: name, realm: realm))
      .isEmpty
  }

  /// Counts a failure against the journey's user, unless the user's signatures are locked already. Late or repeated answers and a wrong
  /// configuration do not count.
  private func count(_ refusal: WebAuthnFailure, _ context: NodeContext) async throws {
    guard !findsUser, let username = context.state.username, Self.counted.contains(refusal.check) else {
      return
    }
    try await services.lock(.signatures, of: username, in: context.request).countFailure()
  }

  private static let counted: Set<WebAuthnFailure.Check> = [
    .malformedResponse, .wrongCeremonyType, .challengeMismatch, .rpIdMismatch, .malformedAuthenticatorData,
    .unknownCredential, .userHandleMismatch, .backupStateInvalid, .invalidSignature,
  ]

  private func noDevice(in context: inout NodeContext) -> NodeResult {
    context.outcome("noDevice", because: "the user has no WebAuthn device")
  }

  private func failure(_ reason: some CustomStringConvertible, in context: inout NodeContext) -> NodeResult {
    context.outcome("failure", because: "WebAuthn authentication refused: \(reason)")
  }
}
