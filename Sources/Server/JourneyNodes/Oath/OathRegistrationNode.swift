internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import OATH
internal import StrictJSON

/// Registers an authenticator for one-time codes: shows its `otpauth` URI, and stores the device when the person continues.
///
/// This does not prove that the code was scanned. With `postponeDeviceProfileStorage` the device stays in the journey's state until an OATH
/// Token Verifier node has proven its first code and an OATH Device Storage node stores it; until then, coming back here shows the same QR
/// code.
struct OathRegistrationNode: JourneyNode {
  let outcomes = ["successOutcome", "failureOutcome"]
  let stateInputs = [StateKey.username]
  var stateOutputs: [String] { [postponesStorage ? OathDraft.stateKey : RecoveryCodeState.codes] }
  private let postponesStorage: Bool
  private let services: NodeServices
  private let settings: EnrolmentSettings
  private let oath: OathRegistration

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = try services.addingFactors(definition)
    settings = try EnrolmentSettings(definition)
    oath = try OathRegistration(definition, services: services)
    postponesStorage = try definition.flag("postponeDeviceProfileStorage", default: false)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let user = try await services.activeUser(in: &context, to: "register an authenticator for")
    if postponesStorage { return try await draft(for: user, in: &context) }
    // The page has one button, so an answer means that it was pressed.
    guard context.reply != nil,
      let device = OathDeviceRecord(
        notes: context.notes, profile: oath.profile, user: user, now: services.clock())
    else {
      guard try await !oath.isRegistered(user) else { return .outcome("successOutcome") }
      _ = try await services.factorPermission(for: user, context)
      let device = try oath.device(of: user)
      context.notes = device.notes
      return try callbacks(device, user, context)
    }
    let permission = try await services.factorPermission(for: user, context)
    guard try await services.store.addOathDevice(device, limit: DeviceLimit(1, permission, of: user)) else {
      return context.outcome(
        "failureOutcome", because: "the user has registered another authenticator or factor meanwhile")
    }
    try await services.noteStoredAuthenticator(
      device, of: user, makesRecoveryCodes: settings.generatesCodes, in: &context)
    return .outcome("successOutcome")
  }

  /// Shows the QR code of a device that is not stored here, and continues when the person has scanned it.
  private func draft(for user: UserRecord, in context: inout NodeContext) async throws -> NodeResult {
    // Wrong first codes lead back here, so this is where their number ends.
    guard try await !services.lock(.authenticatorCodes, of: user, in: context.request).isLocked() else {
      return context.outcome(
        "failureOutcome", because: "the account or its codes are locked after too many failures")
    }
    guard try await !oath.isRegistered(user) else {
      OathDraft.forget(in: &context.state)
      return .outcome("successOutcome")
    }
    let known = OathDraft(in: context.state, of: user)
    if context.reply != nil, known != nil { return .outcome("successOutcome") }
    _ = try await services.factorPermission(for: user, context)
    let draft =
      try known
      ?? OathDraft(try oath.device(of: user), of: user, makesRecoveryCodes: settings.generatesCodes)
    draft.keep(in: &context.state)
    return try callbacks(draft.device, user, context, isRepeated: draft.wrongCodes > 0)
  }

  /// Shown above the QR code when it is shown again.
  private static let wrongCode =
    "That code was wrong, and nothing is registered yet. Scan the code again, check the phone's clock, and enter the code it shows then."

  private func callbacks(
    _ device: OathDeviceRecord, _ user: UserRecord, _ context: NodeContext, isRepeated: Bool = false
  ) throws -> NodeResult {
    .callbacks(
      (isRepeated ? [StandardCallback.text(Self.wrongCode, type: 1)] : [])
        + settings.callbacks(try oath.uri(device, of: user, settings), context.request)
        + [StandardCallback.button("Next")])
  }
}

extension OathDeviceRecord {
  /// The device that is being registered, in the node's sealed notes.
  fileprivate var notes: JSONObject {
    [
      "user": .string(username), "uuid": .string(uuid), "secret": .string(Base64URL.encode(secret.reveal())),
    ]
  }

  fileprivate init?(notes: JSONObject, profile: OATHProfile, user: UserRecord, now: Date) {
    guard notes["user"]?.stringValue == user.username, let uuid = notes["uuid"]?.stringValue,
      let secret = notes["secret"]?.stringValue.flatMap({ Base64URL.decode($0) })
    else { return nil }
    self.init(
      uuid: uuid, realm: user.realm, username: user.username, secret: StoredSecret(secret), profile: profile,
      createdDate: now, lastAccessDate: now)
  }
}
