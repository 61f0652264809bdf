internal import BindingFormats
internal import StrictJSON

/// Whom a policy is about.
indirect enum PolicySubject: Sendable, Hashable {
  case none
  case authenticatedUsers

  /// - Parameter hasOthers: whether the list also names what this server has no accounts for, such as groups.
  case identity([UniversalID], hasOthers: Bool)
  case jwtClaim(name: String, value: String)
  case and([PolicySubject])
  case or([PolicySubject])
  case not(PolicySubject)

  /// Of a type that this version does not have.
  case unknown(type: String)

  func verdict(_ facts: PolicyFacts) -> Verdict {
    switch self {
    case .none: .fails
    case .authenticatedUsers: Verdict(facts.requester.account != nil)
    case .identity(let ids, let hasOthers):
      ids.contains(where: facts.isAccount) ? .holds : hasOthers ? .unknown : .fails
    case .jwtClaim(let name, let value):
      Verdict(facts.requester.claims[name].map { PolicyFacts.texts(of: $0).contains(value) } ?? false)
    case .and(let parts): .all(parts.map { $0.verdict(facts) })
    case .or(let parts): .any(parts.map { $0.verdict(facts) })
    case .not(let part): !part.verdict(facts)
    case .unknown: .unknown
    }
  }
}

extension PolicyReader {
  mutating func subject(_ properties: JSONReader, depth: Int = 0) throws(JSONFault)
    -> PolicySubject
  {
    try count(properties, depth: depth)
    let type = try properties.member("type").text()
    switch type {
    case "NONE": return .none
    case "AuthenticatedUsers": return .authenticatedUsers
    case "Identity":
      let values = try properties.member("subjectValues").texts()
      guard !values.isEmpty else {
        throw properties.wrong("subjectValues", "must name at least one identity")
      }
      weigh(values.count)
      var ids: [UniversalID] = []
      for value in values {
        if let id = UniversalID(value) {
          ids.append(id)
          continue
        }
        warn(
          properties, "subjectValues",
          "\(value.quoted) is not a user's universal id such as id=mira,ou=user,o=alpha,ou=services,ou=am-config; people who are "
            + "not named otherwise are denied")
      }
      return .identity(ids, hasOthers: ids.count < values.count)
    case "JwtClaim":
      return .jwtClaim(
        name: try properties.member("claimName").text(), value: try properties.member("claimValue").text())
    case "AND", "OR":
      var parts: [PolicySubject] = []
      for part in try properties.member("subjects").elements("objects") {
        parts.append(try subject(part, depth: depth + 1))
      }
      guard !parts.isEmpty else { throw properties.wrong("subjects", "must not be empty") }
      return type == "AND" ? .and(parts) : .or(parts)
    case "NOT": return .not(try subject(try properties.member("subject").object(), depth: depth + 1))
    default:
      warn(properties, "type", "this version has no subjects of type \(type.quoted); the policy denies")
      return .unknown(type: type)
    }
  }
}
