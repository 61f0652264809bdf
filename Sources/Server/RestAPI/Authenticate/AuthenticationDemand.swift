internal import JourneyEngine
internal import JourneyFiles
internal import JourneyStore
internal import ServerHTTP

/// What a start of `/authenticate` asks for: a journey, an authentication level, or both.
struct AuthenticationDemand: Equatable {
  /// The journey's name.
  var service: String?

  /// The lowest acceptable level.
  var level: Int?

  /// The id of the transaction that is to be approved.
  var transaction: String?

  /// The client wants its session upgraded, so a session that already meets the demand is enough.
  var isUpgrade = false

  /// Highest level that can be asked for.
  private static let maximumLevel = 1000

  /// Reads `authIndexType` and `authIndexValue`.
  ///
  /// - Throws: 400 for an unsupported type or a malformed value.
  init(_ query: QueryParameters, realm: String) throws(ErrorResponse) {
    guard let type = query["authIndexType"] else { return }
    let value = query["authIndexValue"].flatMap { $0.isEmpty ? nil : $0 }
    switch type {
    case "service": service = value
    case "transaction":
      guard let value else { throw .badRequest("The parameter authIndexValue must be a transaction's id.") }
      transaction = value
    case "level":
      guard let value, let level = Self.level(value, realm: realm) else {
        throw .badRequest(
          "The parameter authIndexValue must be an authentication level, 0 to \(Self.maximumLevel).")
      }
      self.level = level
      isUpgrade = true
    case "composite_advice":
      guard let advices = value.flatMap(CompositeAdvice.init(parsing:)) else {
        throw .badRequest(
          "The parameter authIndexValue must be advices: "
            + "<Advices><AttributeValuePair><Attribute name=\"…\"/><Value>…</Value></AttributeValuePair></Advices>"
            + " of at most \(CompositeAdvice.maximumBytes) bytes.")
      }
      try take(advices, realm: realm)
    default:
      throw .badRequest(
        "The parameter authIndexType must be service, level, composite_advice or transaction.")
    }
  }

  /// Takes each attribute's first value, but the lowest of the levels. All values of one attribute are alternatives.
  private mutating func take(_ advices: CompositeAdvice, realm: String) throws(ErrorResponse) {
    isUpgrade = true
    for (attribute, values) in advices.attributes {
      switch attribute {
      case "AuthLevelConditionAdvice":
        guard let lowest = values.compactMap({ Self.level($0, realm: realm) }).min() else {
          throw .badRequest("An AuthLevelConditionAdvice must be a level of realm \(realm), such as 2.")
        }
        level = max(level ?? 0, lowest)
      case "AuthenticateToServiceConditionAdvice", "AuthenticateToTreeConditionAdvice",
        "AuthSchemeConditionAdvice":
        guard let name = values.lazy.compactMap({ Self.local($0, realm: realm) }).first,
          service == nil || service == name
        else { throw .badRequest("The advices must name one journey of realm \(realm).") }
        service = name
      case "AuthenticateToRealmConditionAdvice":
        guard values.contains(where: { $0 == realm.realmPath || $0 == realm }) else {
          throw .badRequest("The advices ask for a realm other than \(realm).")
        }
      case "TransactionConditionAdvice" where advices.attributes.count == 1:
        transaction = values.first
      default:
        throw .badRequest(
          "This server cannot meet these advices together. It supports AuthLevelConditionAdvice, "
            + "AuthenticateToServiceConditionAdvice, AuthSchemeConditionAdvice, "
            + "AuthenticateToRealmConditionAdvice, and TransactionConditionAdvice alone.")
      }
    }
  }

  /// A level, alone or behind its realm (`/alpha:2`); `nil` for another realm's.
  private static func level(_ text: String, realm: String) -> Int? {
    guard let text = local(text, realm: realm), text.utf8.count <= 4,
      text.utf8.allSatisfy({ (48...57) ~= $0 })
    else { return nil }
    return Int(text).flatMap { (0...maximumLevel).contains($0) ? $0 : nil }
  }

  /// The text without the realm in front of it, if any; `nil` for another realm.
  private static func local(_ text: String, realm: String) -> String? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.last, !last.isEmpty else { return nil }
    guard parts.count == 2 else { return text }
    return parts[0] == realm.realmPath || parts[0] == realm ? String(last) : nil
  }

  /// Whether a session meets the demand. Any session meets a plain journey's name, as in PingAM.
  func isMet(by session: SessionRecord) -> Bool {
    guard transaction == nil else { return false }
    guard isUpgrade else { return true }
    return (level.map { session.authLevel >= $0 } ?? true)
      && (service.map { $0 == session.service } ?? true)
  }
}
