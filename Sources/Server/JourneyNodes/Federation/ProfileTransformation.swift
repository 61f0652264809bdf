public import JourneyEngine
internal import JourneyScripts
public import StrictJSON

/// Makes profiles from a provider's claims with the operator's scripts.
public protocol ProfileTransforming: Sendable {
  /// - Parameters:
  ///   - profile: the claims, verified.
  ///   - normalized: the same under the names that all providers share.
  ///   - script: the transformation; its libraries are among `scripts`.
  /// - Returns: what the script evaluates to: a normalized profile, or attributes such as `userName`, `givenName`, `mail`.
  func transform(
    _ profile: JSONObject, normalized: JSONObject, by script: JourneyScript, among scripts: [JourneyScript],
    realm: String
  ) async throws -> JSONObject
}

/// The transformations that need no script: from the standard claims to a normalized profile, and to attributes of an account.
enum ProfileTransformation {
  private static let attributes = [
    ("preferred_username", "userName"), ("given_name", "givenName"), ("family_name", "sn"), ("name", "cn"),
    ("locale", "preferredLocale"), ("phone_number", "telephoneNumber"),
  ]

  private static let normalized = [
    ("sub", "id"), ("name", "displayName"), ("given_name", "givenName"), ("family_name", "familyName"),
    ("picture", "photoUrl"), ("preferred_username", "username"), ("locale", "locale"),
  ]

  private static let attributesOfNormalized = [
    ("username", "userName"), ("givenName", "givenName"), ("familyName", "sn"), ("displayName", "cn"),
    ("locale", "preferredLocale"), ("email", "mail"),
  ]

  /// The attributes of an account. A mail address is taken over only if the provider says that it is the person's.
  static func attributes(of claims: JSONObject) -> JSONObject {
    var attributes = renamed(claims, Self.attributes)
    if claims["phone_number_verified"] != true { attributes["telephoneNumber"] = nil }
    attributes["mail"] = verifiedMail(claims)
    return attributes
  }

  /// The profile as PingAM's scripts expect it. Without a user name there, the verified mail address is the name.
  static func normalized(_ claims: JSONObject) -> JSONObject {
    var profile = renamed(claims, Self.normalized)
    profile["email"] = verifiedMail(claims)
    if profile["username"] == nil { profile["username"] = profile["email"] }
    return profile
  }

  /// The attributes of a normalized profile, which a provider's own script has made.
  static func attributes(ofNormalized profile: JSONObject) -> JSONObject {
    renamed(profile, attributesOfNormalized)
  }

  /// The claim as text. An address or a number is `nil` unless the provider says that it is the person's, whatever the claim is used for.
  static func trusted(_ claim: String, of claims: JSONObject) -> String? {
    guard let text = claims[claim]?.stringValue, (1...1024).contains(text.utf8.count) else { return nil }
    switch claim {
    case "email": return verifiedMail(claims)?.stringValue
    case "phone_number": return claims["phone_number_verified"] == true ? text : nil
    default: return text
    }
  }

  private static func renamed(_ members: JSONObject, _ names: [(String, String)]) -> JSONObject {
    var result = JSONObject()
    for (name, newName) in names {
      guard let text = members[name]?.stringValue, (1...1024).contains(text.utf8.count) else { continue }
      result[newName] = .string(text)
    }
    return result
  }

  private static func verifiedMail(_ claims: JSONObject) -> JSONValue? {
    guard let mail = claims["email"]?.stringValue, mail.utf8.count <= 320, claims["email_verified"] == true
    else { return nil }
    return .string(mail)
  }

  /// The link between an account and a person at a provider: issuer and subject, which are unique together. Issuers have no blanks, so that
  /// a subject cannot imitate another issuer's.
  static func alias(issuer: String, subject: String) -> String { "\(issuer) \(subject)" }
}

/// Runs transformations in the workers that run the journeys' scripts, with the same limits.
public struct ProfileScripts: ProfileTransforming {
  private let services: NodeServices
  private let scripts: ScriptServices

  /// Longest profile that a script may make. Bytes.
  private static let maximumBytes = 64 << 10

  /// - Returns: `nil` where no scripts are run.
  public init?(services: NodeServices) {
    guard let scripts = services.scripts else { return nil }
    self.services = services
    self.scripts = scripts
  }

  public func transform(
    _ profile: JSONObject, normalized: JSONObject, by script: JourneyScript, among all: [JourneyScript],
    realm: String
  ) async throws -> JSONObject {
    let run = ScriptRun(
      name: script.name, source: script.source, isLegacy: script.evaluatorVersion != "2.0",
      libraries: all.libraries,
      bindings: [
        "profile": ["raw": .object(profile), "normalized": .object(normalized)],
        "realm": .string(realm == "root" ? "/" : "/\(realm)"), "cookieName": .string(scripts.cookieName),
      ])
    let decision = try await scripts.run(
      run, NodeScriptCalls(realm: realm, services: services, scripts: scripts))
    guard let made = decision["profile"]?.objectValue else {
      throw NodeError(
        "the script \(script.name.quoted) made no profile: what it evaluates to last must be an object")
    }
    guard made.serialized.count <= Self.maximumBytes else {
      throw NodeError(
        "the script \(script.name.quoted) made a profile of more than \(Self.maximumBytes) bytes")
    }
    return made
  }
}
