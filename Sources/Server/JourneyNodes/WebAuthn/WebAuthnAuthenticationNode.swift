internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON
internal import WebAuthnFormats
internal import WebAuthnVerification

/// Authenticates by a registered WebAuthn credential (WebAuthn L3 §7.2): the user's, or with `requiresResidentKey` one that says
/// itself who the user is.
struct WebAuthnAuthenticationNode: JourneyNode {
  private let services: NodeServices
  private let party: WebAuthnParty
  private let allowsRecoveryCode: Bool

  /// Username from device.
  private let findsUser: Bool
  private let detectsCopies: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    party = try WebAuthnParty(definition)
    allowsRecoveryCode = try definition.flag("isRecoveryCodeAllowed", default: false)
    findsUser = try definition.flag("requiresResidentKey", default: false)
    detectsCopies = try definition.flag("detectSignCountMismatch", default: false)
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
      // A name that nobody has goes the way of a user without devices.
      devices = try await services.store.webAuthnDevices(
        username: try context.requiredUsername(), realm: context.request.realm)
      guard !devices.isEmpty else { return noDevice(&context) }
    }
    guard let reply = context.reply, let visit = WebAuthnVisit(notes: context.notes) else {
      return try ask(devices, nil, &context)
    }
    let hidden = party.asScript ? 2 : 1
    let answer = WebAuthnReply<AssertionResponse>(reply, hidden: hidden, hasButton: allowsRecoveryCode)
    context.state.shared[WebAuthnState.challenge] = nil
    switch answer {
    case .nothing: return try ask(devices, visit, &context)
    case .recoveryCode: return .outcome("recoveryCode")
    case .unsupported: return .outcome("unsupported")
    case .failed(let error): return WebAuthnNode.clientFailed(error, &context)
    case .unreadable(let error):
      return failure(WebAuthnFailure(.malformedResponse, error.description), &context)
    case .completed(let response, let attachment):
      do {
        return try await judge(response, attachment, visit, devices, &context)
      } catch let refusal as WebAuthnFailure {
        try await count(refusal, context)
        return failure(refusal, &context)
      }
    }
  }

  private func ask(
    _ devices: [WebAuthnDeviceRecord], _ open: WebAuthnVisit?, _ context: inout NodeContext
  ) throws -> NodeResult {
    let visit =
      try open ?? WebAuthnVisit(relyingPartyID: party.id(for: context.request), services: services)
    context.notes = visit.notes
    context.state.shared[WebAuthnState.challenge] = .string(visit.challengeText)
    let options = WebAuthnRequestOptions(
      challenge: visit.challengeText, challengeBytes: visit.challenge, relyingPartyID: visit.relyingPartyID,
      userVerification: party.userVerification.rawValue, allowedIDs: devices.map(\.credentialID),
      extensions: context.state[WebAuthnState.extensions]?.objectValue ?? JSONObject(),
      timeoutMilliseconds: party.timeout * 1000, allowsRecoveryCode: allowsRecoveryCode)
    let question =
      party.asScript
      ? [
        WaitingCallback.text(options.script, type: 4),
        WaitingCallback.text(WebAuthnScript.spinner, type: 4),
      ] : [WebAuthnCallback.metadata(options.metadata)]
    let button = allowsRecoveryCode ? [WaitingCallback.button("Use Recovery Code")] : []
    return .callbacks(question + [WebAuthnCallback.outcome] + button)
  }

  // MARK: The answer

  /// - Throws: ``WebAuthnFailure``, or what the store throws.
  private func judge(
    _ response: AssertionResponse, _ attachment: AuthenticatorAttachment?, _ visit: WebAuthnVisit,
    _ devices: [WebAuthnDeviceRecord], _ context: inout NodeContext
  ) async throws -> NodeResult {
    try await visit.consume(timeout: party.timeout, services: services)
    let realm = context.request.realm
    let found =
      findsUser
      ? try await services.store.webAuthnDevice(credentialID: response.credentialID, realm: realm)
      : devices.first { $0.credentialID == response.credentialID }
    guard let device = found else {
      if findsUser, try await !hasDevices(response.userHandle, realm: realm) { return noDevice(&context) }
      throw WebAuthnFailure(
        .unknownCredential, "\(findsUser ? "nobody" : "the user") has a credential of this id")
    }
    guard let credential = device.credential else {
      throw NodeError("the stored key of the WebAuthn device \(device.uuid) cannot be read")
    }
    let verified = try AssertionVerifier(
      AssertionVerifier.Policy(
        relyingParty: party.party(id: visit.relyingPartyID, for: context.request),
        userVerification: party.userVerification, requiresUserHandle: findsUser)
    ).verify(response, challenge: visit.challenge, credential: credential)
    guard let user = try await services.store.user(named: device.username, realm: realm), user.isActive else {
      return failure("the user is not active", &context)
    }
    let now = services.clock()
    let lockout = try await services.store.lockout(username: user.username, realm: realm)
    guard !lockout.isLocked(at: now) else {
      return failure("the account is locked after too many failures", &context)
    }
    let use = try await services.store.recordWebAuthnUse(
      WebAuthnUse(
        signCount: verified.signCount, isBackedUp: verified.flags.contains(.backedUp),
        isUserVerified: verified.flags.contains(.userVerified), date: now),
      credentialID: device.credentialID, realm: realm)
    if use == .noSuchDevice {
      throw WebAuthnFailure(.unknownCredential, "the device was deleted meanwhile")
    }
    if lockout != LockoutState() {
      try await services.store.recordSuccess(username: user.username, realm: realm)
    }
    if findsUser { context.state.username = user.username }
    context.state.shared[WebAuthnState.deviceUUID] = .string(device.uuid)
    context.state.shared[WebAuthnState.deviceName] = .string(device.deviceName)
    context.state.transient[WebAuthnState.assertionInfo] = WebAuthnState.info(
      verified.flags, attachment: attachment)
    if use == .recorded || !detectsCopies { context.state.noteAuthentication(at: now) }
    guard use == .counterNotAdvanced else { return .outcome("success") }
    context.remark(
      "the counter of the WebAuthn device \(device.uuid) did not advance from \(credential.signCount): there may be a copy of it"
    )
    return .outcome(detectsCopies ? "successSignCountMismatch" : "success")
  }

  /// Whether the account that a user handle names has WebAuthn devices.
  private func hasDevices(_ userHandle: [UInt8]?, realm: String) async throws -> Bool {
    guard let userHandle else {
      throw WebAuthnFailure(
        .userHandleMismatch, "the answer has no user handle, and the account is unknown")
    }
    guard let name = WebAuthnUserHandle.username(userHandle) else { return false }
    return try await !services.store.webAuthnDevices(username: name, realm: realm).isEmpty
  }

  /// Counts a failure of the user whom the journey knows, unless the account is locked already. What lateness, repetition or a wrong
  /// configuration bring about does not count.
  private func count(_ refusal: WebAuthnFailure, _ context: NodeContext) async throws {
    guard !findsUser, let username = context.state.username, Self.counted.contains(refusal.check) else {
      return
    }
    let (now, realm) = (services.clock(), context.request.realm)
    guard try await !services.store.lockout(username: username, realm: realm).isLocked(at: now) else {
      return
    }
    _ = try await services.store.recordFailure(
      username: username, realm: realm, policy: services.lockout, now: now)
  }

  private static let counted: Set<WebAuthnFailure.Check> = [
    .malformedResponse, .wrongCeremonyType, .challengeMismatch, .rpIdMismatch, .malformedAuthenticatorData,
    .unknownCredential, .userHandleMismatch, .backupStateInvalid, .invalidSignature,
  ]

  private func noDevice(_ context: inout NodeContext) -> NodeResult {
    context.remark("the user has no WebAuthn device")
    return .outcome("noDevice")
  }

  private func failure(_ reason: some CustomStringConvertible, _ context: inout NodeContext) -> NodeResult {
    context.remark("WebAuthn authentication refused: \(reason)")
    return .outcome("failure")
  }
}
