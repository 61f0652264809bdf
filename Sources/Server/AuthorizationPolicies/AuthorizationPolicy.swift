internal import StrictJSON

/// One policy: the actions that it allows and denies, on which resources, for whom, and when.
struct AuthorizationPolicy: Sendable {
  let name: String
  let application: String
  let isActive: Bool
  let resources: [ResourcePattern]
  let actions: [String: Bool]
  let subject: PolicyCondition
  let condition: PolicyCondition?

  /// The attributes that a decision carries beside its actions: fixed values, and attributes of the account.
  let staticAttributes: [(name: String, values: [String])]
  let accountAttributes: [String]

  /// The number of subjects, conditions and their values.
  let cost: Int

  /// Adds the policy's verdict on a resource that matches one of its patterns.
  func apply(
    _ facts: PolicyFacts, to decision: inout PolicyDecision, _ budget: inout PolicyBudget
  ) throws(PolicyRequestError) {
    try budget.spend(cost * facts.weight)
    var findings = PolicyCondition.Findings()
    let who = try subject.verdict(facts, &findings, &budget)
    guard who != .fails else { return }
    let when = try condition?.verdict(facts, &findings, &budget) ?? .holds
    decision.timeToLive = min(decision.timeToLive, findings.timeToLive)
    switch Verdict.all([who, when]) {
    case .holds:
      // A denial wins over every other policy.
      for (action, isAllowed) in actions {
        decision.actions[action] = isAllowed && decision.actions[action] != false
      }
      for (name, values) in staticAttributes { decision.attributes.add(values, to: name) }
      for name in accountAttributes { decision.attributes.add(facts.values(of: name), to: name) }
      return
    case .fails: break
    case .unknown:
      // A subject or condition that cannot be decided may be a denial, so it denies.
      for action in actions.keys { decision.actions[action] = false }
    }
    for (name, values) in findings.advices { decision.advices.add(values, to: name) }
  }
}

extension [String: [String]] {
  fileprivate mutating func add(_ values: [String], to name: String) {
    guard !values.isEmpty else { return }
    let known = Set(self[name] ?? [])
    self[name, default: []] += values.filter { !known.contains($0) }
  }
}

/// Reads policies, and collects warnings.
struct PolicyReader {
  var warnings: [PolicyFileError] = []

  /// The file and the policy being read.
  private var file = ""
  private var name = ""

  /// The number of subjects and conditions, and of their values, in the policy being read.
  private var parts = 0
  private var values = 0

  /// Counts values, because each one is compared separately.
  mutating func weigh(_ values: Int) { self.values += values }

  mutating func count(_ properties: JSONReader, depth: Int) throws(JSONFault) {
    parts += 1
    guard depth < PolicyLimits.depth else {
      throw properties.wrong("", "nests deeper than \(PolicyLimits.depth)")
    }
    guard parts <= PolicyLimits.parts else {
      throw properties.wrong("", "the policy has more than \(PolicyLimits.parts) subjects and conditions")
    }
  }

  mutating func warn(_ properties: JSONReader, _ member: String, _ problem: String) {
    warnings.append(
      PolicyFileError(file: file, policy: name, property: properties.place(member), problem: problem))
  }

  mutating func policy(
    _ properties: JSONReader, named name: String, in file: String
  ) throws(JSONFault) -> AuthorizationPolicy {
    (self.file, self.name, parts, values) = (file, name, 0, 0)
    let texts = try properties.member("resources").texts()
    guard !texts.isEmpty else { throw properties.wrong("resources", "must have at least one pattern") }
    var patterns: [ResourcePattern] = []
    for (index, text) in texts.enumerated() {
      do throws(JSONFault) { patterns.append(try ResourcePattern(text)) } catch {
        throw properties.wrong("resources[\(index)]", error.problem)
      }
    }
    var fixed: [(name: String, values: [String])] = []
    var ofAccount: [String] = []
    for attribute in try properties["resourceAttributes"]?.elements("objects") ?? [] {
      let type = try attribute.member("type").text()
      switch type {
      case "Static":
        fixed.append(
          (try attribute.member("propertyName").text(), try attribute.member("propertyValues").texts()))
      case "User": ofAccount.append(try attribute.member("propertyName").text())
      default:
        warn(
          attribute, "type",
          "this version has no attributes of type \(type.quoted); the answer goes without it")
      }
    }
    // A policy without a subject applies to nobody.
    let subject =
      try properties["subject"].map { (given) throws(JSONFault) in try read(.subject, given.object()) }
      ?? .nobody
    let condition = try properties["condition"].map { (given) throws(JSONFault) in
      try read(.condition, given.object())
    }
    return AuthorizationPolicy(
      name: name, application: try properties.member("applicationName").text(),
      isActive: try properties["active"]?.flag() ?? true, resources: patterns,
      actions: try actions(properties), subject: subject, condition: condition, staticAttributes: fixed,
      accountAttributes: ofAccount, cost: parts + values + fixed.count + ofAccount.count + 1)
  }

  private mutating func actions(_ properties: JSONReader) throws(JSONFault) -> [String: Bool] {
    var actions: [String: Bool] = [:]
    for (name, value) in try properties.member("actionValues").members() { actions[name] = try value.flag() }
    if actions.isEmpty {
      warn(properties, "actionValues", "is empty, so that the policy allows and denies nothing")
    }
    return actions
  }
}
