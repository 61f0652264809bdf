internal import BindingFormats
internal import Foundation
internal import StrictJSON

/// Whom a policy applies to (`PolicyReader.subject`), or when it applies.
indirect enum PolicyCondition: Sendable {
  case and([PolicyCondition])
  case or([PolicyCondition])
  case not(PolicyCondition)
  case time(TimeWindow)
  case levelAtLeast(Int)
  case levelAtMost(Int)
  case hosts(HostCondition)

  /// Minutes since the session began.
  case sessionYoungerThan(minutes: Int)
  case sessionProperties([SessionProperty], ignoresCase: Bool)
  case scopes([String])
  case account(LDAPFilter)
  case nobody
  case authenticatedUsers

  /// - Parameter hasOthers: whether the list also names identities that this server has no accounts for, such as groups.
  case identity([UniversalID], hasOthers: Bool)
  case jwtClaim(name: String, value: String)

  /// A condition of a type that this version does not support.
  case unknown

  struct SessionProperty: Sendable {
    let name: String

    /// The accepted values; one match is enough.
    let values: [String]
  }

  /// The results of an evaluation besides the verdict.
  struct Findings {
    var advices: [String: [String]] = [:]

    /// Milliseconds since 1970 up to which the verdict holds.
    var timeToLive = Int64.max

    mutating func advise(_ name: String, _ value: String) {
      if advices[name]?.contains(value) != true { advices[name, default: []].append(value) }
    }

    mutating func limit(_ end: Date) {
      timeToLive = min(timeToLive, Int64(end.timeIntervalSince1970 * 1000))
    }
  }

  func verdict(
    _ facts: PolicyFacts, _ findings: inout Findings, _ budget: inout PolicyBudget
  ) throws(PolicyRequestError) -> Verdict {
    try budget.spend(1)
    let session = facts.requester.session
    switch self {
    case .and(let parts): return .all(try verdicts(parts, facts, &findings, &budget))
    case .or(let parts): return .any(try verdicts(parts, facts, &findings, &budget))
    case .not(let part):
      // Advice for the inner condition would make the negation fail, so it is dropped.
      var inner = Findings()
      let verdict = try part.verdict(facts, &inner, &budget)
      findings.timeToLive = min(findings.timeToLive, inner.timeToLive)
      return !verdict
    case .time(let window):
      // The verdict can change with every minute.
      findings.limit(
        Date(timeIntervalSince1970: ((facts.now.timeIntervalSince1970 / 60).rounded(.down) + 1) * 60))
      return Verdict(window.holds(at: facts.now))
    case .levelAtLeast(let level):
      // A request without a session has level 0.
      guard (session?.level ?? 0) < level else { return .holds }
      findings.advise("AuthLevelConditionAdvice", String(level))
      return .fails
    case .levelAtMost(let level): return Verdict((session?.level ?? 0) <= level)
    case .hosts(let hosts): return hosts.verdict(facts)
    case .sessionYoungerThan(let minutes):
      guard let session else { return .unknown }
      let end = session.createdAt.addingTimeInterval(TimeInterval(minutes) * 60)
      guard facts.now < end else { return .fails }
      findings.limit(end)
      return .holds
    case .sessionProperties(let wanted, let ignoresCase):
      guard let properties = session?.properties else { return .unknown }
      func form(_ text: String) -> String { ignoresCase ? text.lowercased() : text }
      return Verdict(
        wanted.allSatisfy { property in
          guard let found = properties[property.name] else { return false }
          let values = Set(property.values.map(form))
          return PolicyFacts.texts(of: found).contains { values.contains(form($0)) }
        })
    case .scopes(let wanted): return Verdict(facts.scopes.isSuperset(of: wanted))
    case .account(let filter):
      guard facts.requester.account != nil else { return .unknown }
      return Verdict(try filter.matches(facts.values, &budget))
    case .nobody: return .fails
    case .authenticatedUsers: return Verdict(facts.requester.account != nil)
    case .identity(let ids, let hasOthers):
      return ids.contains(where: facts.isAccount) ? .holds : hasOthers ? .unknown : .fails
    case .jwtClaim(let name, let value):
      return Verdict(facts.requester.claims[name].map { PolicyFacts.texts(of: $0).contains(value) } ?? false)
    case .unknown: return .unknown
    }
  }

  private func verdicts(
    _ parts: [PolicyCondition], _ facts: PolicyFacts, _ findings: inout Findings, _ budget: inout PolicyBudget
  ) throws(PolicyRequestError) -> [Verdict] {
    var verdicts: [Verdict] = []
    for part in parts { verdicts.append(try part.verdict(facts, &findings, &budget)) }
    return verdicts
  }
}

extension PolicyReader {
  /// The two kinds of conditions, by their names in an export.
  enum Kind: String { case subject, condition }

  mutating func read(
    _ kind: Kind, _ properties: JSONReader, depth: Int = 0
  ) throws(JSONFault) -> PolicyCondition {
    try count(properties, depth: depth)
    let type = try properties.member("type").text()
    switch type {
    case "AND", "OR":
      var parts: [PolicyCondition] = []
      for part in try properties.member("\(kind)s").elements("objects") {
        parts.append(try read(kind, part, depth: depth + 1))
      }
      guard !parts.isEmpty else { throw properties.wrong("\(kind)s", "must not be empty") }
      return type == "AND" ? .and(parts) : .or(parts)
    case "NOT": return .not(try read(kind, try properties.member("\(kind)").object(), depth: depth + 1))
    default:
      let found = kind == .subject ? try subject(properties, of: type) : try condition(properties, of: type)
      if let found { return found }
      warn(properties, "type", "this version has no \(kind)s of type \(type.quoted); the policy denies")
      return .unknown
    }
  }

  private mutating func condition(
    _ properties: JSONReader, of type: String
  ) throws(JSONFault) -> PolicyCondition? {
    switch type {
    case "SimpleTime": return .time(try TimeWindow(properties))
    case "AuthLevel": return .levelAtLeast(try properties.member("authLevel").count())
    case "LEAuthLevel": return .levelAtMost(try properties.member("authLevel").count())
    case "IPv4": return .hosts(try HostCondition(properties, isIPv4: true))
    case "IPv6": return .hosts(try HostCondition(properties, isIPv4: false))
    case "Session":
      if try properties["terminateSession"]?.flag() ?? false {
        warn(properties, "terminateSession", "this server does not end sessions for policies")
      }
      return .sessionYoungerThan(minutes: try properties.member("maxSessionTime").count())
    case "SessionProperty": return try sessionProperties(properties)
    case "OAuth2Scope":
      let scopes =
        properties["requiredScopes"]?.value.arrayValue == nil
        ? [try properties.member("requiredScopes").text()] : try properties.member("requiredScopes").texts()
      let names = scopes.flatMap { $0.split(separator: " ").map(String.init) }
      guard !names.isEmpty else { throw properties.wrong("requiredScopes", "must name at least one scope") }
      return .scopes(names)
    case "LDAPFilter":
      let text = try properties.member("ldapFilter").text()
      do throws(JSONFault) { return .account(try LDAPFilter(parsing: text)) } catch {
        throw properties.wrong("ldapFilter", error.problem)
      }
    default: return nil
    }
  }

  private func sessionProperties(_ properties: JSONReader) throws(JSONFault) -> PolicyCondition {
    var wanted: [PolicyCondition.SessionProperty] = []
    for (name, values) in try properties.member("properties").members() {
      wanted.append(PolicyCondition.SessionProperty(name: name, values: try values.texts()))
    }
    guard !wanted.isEmpty, !wanted.contains(where: \.values.isEmpty) else {
      throw properties.wrong("properties", "must name at least one property, each with its values in a list")
    }
    return .sessionProperties(wanted, ignoresCase: try properties["ignoreValueCase"]?.flag() ?? true)
  }
}

extension JSONReader {
  /// A whole number, or a text with one.
  fileprivate func count() throws(JSONFault) -> Int {
    let number = value.stringValue.flatMap { Int64($0) }.map { JSONValue.integer($0) }
    return try JSONReader(number ?? value, at: path).number(in: 0...1_000_000_000)
  }
}

extension PolicyReader {
  /// Reads whom a policy applies to; `nil` for a type that this version does not support.
  private mutating func subject(
    _ properties: JSONReader, of type: String
  ) throws(JSONFault) -> PolicyCondition? {
    switch type {
    case "NONE": return .nobody
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
    default: return nil
    }
  }
}
