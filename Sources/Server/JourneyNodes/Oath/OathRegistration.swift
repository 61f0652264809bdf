internal import Bytes
internal import Foundation
internal import JOSE
internal import JourneyEngine
internal import JourneyStore
internal import OATH
internal import PushFormats
internal import StrictJSON

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

  /// Host and parameters of an `mfauth` URI, with finished values. `image` is plain here (reference push §1.2).
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
