internal import Accounts
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import KeyAttestation
internal import StrictJSON
internal import WebAuthnFormats
internal import WebAuthnVerification

/// Registers a WebAuthn credential for the user: sends a challenge, verifies the answer (WebAuthn L3 §7.1), and stores the device
/// or leaves it in state for a WebAuthn Device Storage node.
struct WebAuthnRegistrationNode: JourneyNode {
  private let services: NodeServices
  private let party: WebAuthnParty
  private let relyingPartyName: String
  private let attachment: AuthenticatorAttachment?
  private let algorithms: [COSEAlgorithm]
  private let attestation: AttestationPolicy

  /// The most devices of one user; 0 means no limit.
  private let limit: Int
  private let excludesRegistered: Bool
  private let generatesCodes: Bool
  private let keepsData: Bool
  private let postponesStorage: Bool
  private let requiresResidentKey: Bool
  private let displayNameVariable: String
  let warnings: [String]

  private static let standardPartyName = "ForgeRock"
  static let standardDeviceName = "New Security Key"

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = try services.addingFactors(definition)
    party = try WebAuthnParty(definition, services: services)
    let name = try definition.string("relyingPartyName", default: Self.standardPartyName)
    relyingPartyName = (1...256).contains(name.utf8.count) ? name : Self.standardPartyName
    if relyingPartyName != name {
      definition.repaired(
        "relyingPartyName", "must have 1 to 256 bytes", instead: "\(Self.standardPartyName) is shown.")
    }
    attachment = try definition.choice(
      "authenticatorAttachment", default: "UNSPECIFIED",
      among: [("UNSPECIFIED", nil), ("PLATFORM", .platform), ("CROSS_PLATFORM", .crossPlatform)])
    let offer = try WebAuthnOffer(definition)
    algorithms = offer.algorithms
    var warnings = party.warnings + offer.warnings
    attestation = try AttestationPolicy(definition, trust: services.webAuthn, warnings: &warnings)
    self.warnings = warnings
    limit = try definition.integer("maxSavedDevices", default: 0, in: 0...1000, clamping: .down)
    excludesRegistered = try definition.flag("excludeCredentials", default: false, instead: true)
    generatesCodes = try definition.flag("generateRecoveryCodes", default: true, instead: false)
    keepsData = try definition.flag("storeAttestationDataInTransientState", default: false, instead: false)
    postponesStorage = try definition.flag("postponeDeviceProfileStorage", default: false)
    requiresResidentKey = try definition.flag("requiresResidentKey", default: false, instead: true)
    displayNameVariable = try definition.string("displayNameSharedState")
  }

  var outcomes: [String] {
    ["unsupported", "success", "failure", "error"]
      + (limit > 0 && !postponesStorage ? ["exceedDeviceLimit"] : [])
  }

  let stateInputs = [StateKey.username]

  var stateOutputs: [String] { postponesStorage ? [WebAuthnState.deviceData] : [] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let user = try await services.user(in: &context) else {
      return failure("there is no such user to register a WebAuthn device for", in: &context)
    }
    guard user.isActive else { return failure("the user is not active", in: &context) }
    // Checked before the person is asked, and again before anything is stored.
    let permission = try await services.factorPermission(for: user, context)
    guard let reply = context.reply, let challenge = WebAuthnChallenge(notes: context.notes) else {
      return try await ask(user, nil, in: &context)
    }
    let hidden = party.asScript ? 2 : 1
    let answer = WebAuthnReply<RegistrationResponse>(reply, hidden: hidden, hasButton: false)
    context.state.shared[WebAuthnState.challenge] = nil
    switch answer {
    case .nothing, .recoveryCode: return try await ask(user, challenge, in: &context)
    case .unsupported: return .outcome("unsupported")
    case .failed(let error): return WebAuthnNode.clientFailed(error, in: &context)
    case .unreadable(let error):
      return failure(WebAuthnFailure(.malformedResponse, error.description), in: &context)
    case .completed(let response, let attachment):
      return try await register(response, attachment, challenge, user, permission, in: &context)
    }
  }

  private func ask(
    _ user: UserRecord, _ open: WebAuthnChallenge?, in context: inout NodeContext
  ) async throws -> NodeResult {
    let devices =
      limit > 0 || excludesRegistered
      ? try await services.store.webAuthnDevices.all(of: user.account) : []
    // The limit is enforced when the device is stored; checking here only spares the person a prompt.
    if limit > 0, !postponesStorage, devices.count >= limit {
      return WebAuthnNode.exceeded(limit, in: &context)
    }
    let challenge =
      try open ?? WebAuthnChallenge(relyingPartyID: party.id(), services: services)
    let userName = user.attributes["_username"]?.stringValue ?? user.username
    let displayName =
      displayNameVariable.isEmpty ? nil : context.state.shared[displayNameVariable]?.stringValue
    let options = WebAuthnCreationOptions(
      challenge: challenge, relyingPartyName: relyingPartyName,
      userID: WebAuthnUserHandle.text(of: user), userName: userName, displayName: displayName ?? userName,
      algorithms: algorithms, attestation: attestation.conveyance.rawValue, selection: selection,
      excludedIDs: excludesRegistered ? devices.map(\.credentialID) : [],
      extensions: context.state[WebAuthnState.extensions]?.objectValue ?? JSONObject(),
      timeoutMilliseconds: party.timeout * 1000)
    return .callbacks(
      party.question(challenge, script: options.script, metadata: options.metadata, in: &context))
  }

  private var selection: JSONObject {
    var selection: JSONObject = [
      "userVerification": .string(party.userVerification.rawValue),
      "residentKey": requiresResidentKey ? "required" : "discouraged",
    ]
    if requiresResidentKey { selection["requireResidentKey"] = true }
    selection["authenticatorAttachment"] = attachment.map { .string($0.rawValue) }
    return selection
  }

  private func register(
    _ response: RegistrationResponse, _ attachment: AuthenticatorAttachment?, _ challenge: WebAuthnChallenge,
    _ user: UserRecord, _ permission: FactorChangeCheck.Permission, in context: inout NodeContext
  ) async throws -> NodeResult {
    let verified: VerifiedRegistration
    do {
      try await challenge.consume(timeout: party.timeout, services: services)
      verified = try await RegistrationVerifier(
        RegistrationVerifier.Policy(
          relyingParty: party.party(id: challenge.relyingPartyID),
          algorithms: Set(algorithms), userVerification: party.userVerification, attestation: attestation),
        clock: services.clock
      ).verify(response, challenge: challenge.bytes)
    } catch let refusal as WebAuthnFailure {
      return failure(refusal, in: &context)
    }
    let record = WebAuthnDeviceRecord(
      verified, name: response.deviceName, attachment: attachment, user: user,
      relyingPartyID: challenge.relyingPartyID, uuid: services.uuid(),
      now: services.clock())
    if postponesStorage {
      // The storage node decides; checking here only spares the person the rest of the journey.
      if try await services.store.webAuthnDevice(credentialID: record.credentialID, realm: user.realm) != nil
      {
        return failure(WebAuthnNode.alreadyRegistered, in: &context)
      }
      context.state.transient[WebAuthnState.deviceData] = .object(record.stateForm)
    } else {
      let addition = try await services.store.addWebAuthnDevice(
        record, limit: DeviceLimit(limit, permission, of: user))
      guard addition != .limitReached else { return WebAuthnNode.exceeded(limit, in: &context) }
      if let refusal = try addition.refusal(limit: limit, duplicate: "\(WebAuthnNode.alreadyRegistered)") {
        return failure(refusal, in: &context)
      }
      try await services.noteStored(record, of: user, makesRecoveryCodes: generatesCodes, in: &context)
    }
    let attachmentInfo = WebAuthnState.info(verified.flags, attachment: attachment)
    context.state.transient[WebAuthnState.attestationInfo] = attachmentInfo
    if keepsData {
      context.state.transient[WebAuthnState.data] = .string(response.text)
      context.state.transient[WebAuthnState.attestationType] = .string(verified.attestation.type.rawValue)
      context.state.transient[WebAuthnState.aaguid] = .string(verified.aaguid.description)
    }
    return .outcome("success")
  }

  private func failure(_ reason: some CustomStringConvertible, in context: inout NodeContext) -> NodeResult {
    context.outcome("failure", because: "WebAuthn registration refused: \(reason)")
  }
}

/// What the WebAuthn nodes share.
enum WebAuthnNode {
  static let alreadyRegistered = WebAuthnFailure(
    .credentialAlreadyRegistered, "an account of this realm has a credential of this id")

  static func exceeded(_ limit: Int, in context: inout NodeContext) -> NodeResult {
    context.outcome(
      "exceedDeviceLimit", because: "the user has \(limit) WebAuthn devices, which is the limit")
  }

  /// The client reported an error.
  static func clientFailed(_ error: ClientError, in context: inout NodeContext) -> NodeResult {
    context.state.shared[WebAuthnState.clientError] = .string(error.text)
    return context.outcome("error", because: "the client reported \(error.text.quoted)")
  }
}

extension NodeServices {
  /// Records that a device was stored, and makes its recovery codes.
  func noteStored(
    _ device: WebAuthnDeviceRecord, of user: UserRecord, makesRecoveryCodes: Bool,
    in context: inout NodeContext
  ) async throws {
    try await noteAddedDevice(device.uuid, kind: "webauthn", of: user, in: context)
    guard makesRecoveryCodes else { return }
    try await RecoveryCodes(services: self).replace(
      kinds: ["WEB_AUTHN"], of: user, device: device.deviceName, in: &context.state)
  }
}
