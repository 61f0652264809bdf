internal import Bytes
internal import Foundation
internal import JOSE
internal import JourneyEngine
internal import JourneyStore
internal import OATH
internal import PushFormats
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
    // Wrong first codes lead back here, so the lock that limits them is checked here.
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

/// What the nodes that register one-time codes share: their properties, the new device and its enrolment URI.
struct OathRegistration: Sendable {
  let profile: OATHProfile
  private let services: NodeServices
  private let secretSize: Int

  /// JSON for the authenticator app; empty for none.
  private let policies: String

  /// A QR code holds less than three kilobytes, and the rest of the URI takes one.
  private static let maximumPolicyBytes = 1024

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    let digits: OATHProfile.Digits = try definition.choice(
      "passwordLength", default: "SIX_DIGITS", among: [("SIX_DIGITS", .six), ("EIGHT_DIGITS", .eight)])
    let offset = try definition.integer("truncationOffset", default: -1, in: -1...255)
    let factor = try OathProperty.factor(definition)
    let hash = try OathProperty.hash(definition)
    guard offset < hash.byteCount - 4 else {
      throw definition.wrong(
        "truncationOffset",
        "must be -1, for dynamic truncation, or at most \(hash.byteCount - 5) with \(hash.rawValue)")
    }
    profile = OATHProfile(
      factor: factor, hash: hash, digits: digits, truncationOffset: offset < 0 ? nil : offset,
      addsChecksum: try definition.flag("addChecksum", default: false))
    // Two characters are a byte.
    let characters = try definition.integer(
      "minSharedSecretLength", default: 32, in: 32...OATHSecret.sizes.upperBound * 2, clamping: .up)
    secretSize = max(OATHSecret.recommendedSize, (characters + 1) / 2)
    policies = try definition.string("policiesJson")
    guard policies.isEmpty || (try? JSONValue(parsing: policies))?.objectValue != nil else {
      throw definition.wrong("policiesJson", "must be a JSON object, as text")
    }
    guard policies.utf8.count <= Self.maximumPolicyBytes else {
      throw definition.wrong("policiesJson", "must have at most \(Self.maximumPolicyBytes) bytes")
    }
  }

  func isRegistered(_ user: UserRecord) async throws -> Bool {
    try await !services.store.oathDevices.all(of: user.account).isEmpty
  }

  /// A new device with a new secret; nothing is stored.
  func device(of user: UserRecord) throws -> OathDeviceRecord {
    let now = services.clock()
    let secret = services.randomBytes(secretSize)
    guard secret.count == secretSize else { throw NodeError("the random source gave no bytes") }
    return OathDeviceRecord(
      uuid: services.deviceUUID(at: now), realm: user.realm, username: user.username,
      secret: StoredSecret(secret), profile: profile, createdDate: now,
      lastAccessDate: now)
  }

  /// Host and parameters of an `mfauth` URI, with encoded values. `image` is plain here (reference push §1.2).
  func combinedParameters(
    _ device: OathDeviceRecord, imageURL: String
  ) throws -> (host: String, parameters: [(name: String, value: String)]) {
    var parameters = policies.isEmpty ? [] : [("policies", Self.encoded(policies))]
    parameters += try codeParameters(device)
    parameters.append(("oid", Self.encoded(device.uuid)))
    if !imageURL.isEmpty { parameters.append(("image", PercentEncoding.encode(imageURL))) }
    return (profile.name, parameters.map { (name: $0.0, value: $0.1) })
  }

  /// The `otpauth` URI in the Key URI Format, which all authenticators read: `issuer` is plain, and stands in the label too.
  func uri(_ device: OathDeviceRecord, of user: UserRecord, _ settings: EnrolmentSettings) throws -> String {
    let issuer = PercentEncoding.encode(settings.issuer)
    var parameters = [("issuer", issuer)] + (try codeParameters(device))
    parameters += [
      ("uid", Self.encoded(user.username)), ("oid", Self.encoded(device.uuid)),
      ("b", settings.backgroundColor),
    ]
    if !settings.imageURL.isEmpty { parameters.append(("image", PercentEncoding.encode(settings.imageURL))) }
    return "otpauth://\(profile.name)/\(issuer):\(PercentEncoding.encode(settings.name(of: user)))?"
      + parameters.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  /// Base64url of a text.
  private static func encoded(_ text: String) -> String { Base64URL.encode(text.utf8) }

  /// `secret`, `algorithm`, `digits`, and `period` or `counter`.
  private func codeParameters(_ device: OathDeviceRecord) throws -> [(String, String)] {
    guard let secret = OATHSecret(device.secret.reveal()) else {
      throw NodeError("the new secret has a size that no authenticator takes")
    }
    return OATHEnrolmentParameters(secret: secret, profile: profile, counter: device.nextFactor).items
      .map { ($0.name, $0.value) }
  }
}

/// Properties that registering and verifying nodes share.
enum OathProperty {
  /// `algorithm` and `totpTimeInterval`.
  static func factor(_ definition: NodeDefinition) throws(JourneyFileError) -> OATHProfile.MovingFactor {
    let period = try definition.integer("totpTimeInterval", default: 30, in: OATHProfile.periods)
    return try definition.choice(
      "algorithm", default: "TOTP", among: [("TOTP", .time(period: period)), ("HOTP", .counter)])
  }

  /// `totpHashAlgorithm`; counters have SHA-1 always (RFC 4226 §5.2).
  static func hash(_ definition: NodeDefinition) throws(JourneyFileError) -> OATHProfile.Hash {
    let hash: OATHProfile.Hash = try definition.choice(
      "totpHashAlgorithm", default: "HMAC_SHA1",
      among: [("HMAC_SHA1", .sha1), ("HMAC_SHA256", .sha256), ("HMAC_SHA512", .sha512)])
    return try factor(definition) == .counter ? .sha1 : hash
  }
}
