internal import StrictJSON

/// One policy: what it allows and denies of which resources, to whom, and when.
struct AuthorizationPolicy: Sendable {
  let name: String
  let application: String
  let isActive: Bool
  let resources: [ResourcePattern]
  let actions: [String: Bool]
  let subject: PolicySubject
  let condition: PolicyCondition?

  /// What is told beside the actions: fixed values, and attributes of the account.
  let staticAttributes: [(name: String, values: [String])]
  let accountAttributes: [String]

  /// How many subjects, conditions and values of theirs there are.
  let cost: Int

  /// Adds what the policy says of a resource that one of its patterns fits.
  func apply(
    _ facts: PolicyFacts, to decision: inout PolicyDecision, _ budget: inout PolicyBudget
  ) throws(PolicyRequestError) {
    try budget.spend(cost * facts.weight)
    let who = subject.verdict(facts)
    guard who != .fails else { return }
    var findings = PolicyCondition.Findings()
    let when = try condition?.verdict(facts, &findings, &budget) ?? .holds
    decision.timeToLive = min(decision.timeToLive, findings.timeToLive)
    switch Verdict.all([who, when]) {
    case .holds:
      // A denial stands, whatever others allow.
      for (action, isAllowed) in actions {
        decision.actions[action] = isAllowed && decision.actions[action] != false
      }
      for (name, values) in staticAttributes { decision.add(values, to: name) }
      for name in accountAttributes { decision.add(facts.values(of: name), to: name) }
    case .fails:
      for (name, values) in findings.advices { decision.advise(name, values) }
    case .unknown:
      // What nobody can decide may be a denial, and is taken for one.
      for action in actions.keys { decision.actions[action] = false }
      for (name, values) in findings.advices { decision.advise(name, values) }
    }
  }
}

extension PolicyDecision {
  fileprivate mutating func add(_ values: [String], to name: String) {
    guard !values.isEmpty else { return }
    let known = Set(attributes[name] ?? [])
    attributes[name, default: []] += values.filter { !known.contains($0) }
  }

  fileprivate mutating func advise(_ name: String, _ values: [String]) {
    let known = Set(advices[name] ?? [])
    advices[name, default: []] += values.filter { !known.contains($0) }
  }
}

/// Reads policies, and collects warnings.
struct PolicyReader {
  var warnings: [PolicyWarning] = []

  /// Subjects and conditions of the policy that is being read.
  private var parts = 0
  private var values = 0

  /// Counts values, because each is compared by itself.
  mutating func weigh(_ values: Int) { self.values += values }

  mutating func count(_ properties: PolicyProperties, depth: Int) throws(PolicyFileError) {
    parts += 1
    guard depth < PolicyLimits.depth else {
      throw properties.wrong("", "nests deeper than \(PolicyLimits.depth)")
    }
    guard parts <= PolicyLimits.parts else {
      throw properties.wrong("", "the policy has more than \(PolicyLimits.parts) subjects and conditions")
    }
  }

  mutating func policy(_ properties: PolicyProperties) throws(PolicyFileError) -> AuthorizationPolicy {
    (parts, values) = (0, 0)
    let texts = try properties.texts("resources")
    guard !texts.isEmpty else { throw properties.wrong("resources", "must have at least one pattern") }
    var patterns: [ResourcePattern] = []
    for (index, text) in texts.enumerated() {
      do throws(ResourcePattern.Fault) { patterns.append(try ResourcePattern(text)) } catch {
        throw properties.wrong("resources[\(index)]", error.problem)
      }
    }
    var fixed: [(name: String, values: [String])] = []
    var ofAccount: [String] = []
    let attributes =
      properties["resourceAttributes"] == nil
      ? [] : try properties.list("resourceAttributes", limit: PolicyLimits.values)
    for attribute in attributes {
      let type = try attribute.text("type")
      switch type {
      case "Static": fixed.append((try attribute.text("propertyName"), try attribute.texts("propertyValues")))
      case "User": ofAccount.append(try attribute.text("propertyName"))
      default:
        warnings.append(
          attribute.warning(
            "type", "this version has no attributes of type \(type.quoted); the answer goes without it"))
      }
    }
    // A policy without a subject is about nobody.
    let subject = properties["subject"] == nil ? .none : try subject(try properties.inner("subject"))
    let condition = properties["condition"] == nil ? nil : try condition(try properties.inner("condition"))
    return AuthorizationPolicy(
      name: properties.policy, application: try properties.text("applicationName"),
      isActive: try properties.flag("active", default: true), resources: patterns,
      actions: try actions(properties), subject: subject, condition: condition, staticAttributes: fixed,
      accountAttributes: ofAccount, cost: parts + values + fixed.count + ofAccount.count + 1)
  }

  private mutating func actions(_ properties: PolicyProperties) throws(PolicyFileError) -> [String: Bool] {
    let inner = try properties.inner("actionValues")
    guard inner.object.count <= PolicyLimits.values else {
      throw properties.wrong("actionValues", "must have at most \(PolicyLimits.values) actions")
    }
    var actions: [String: Bool] = [:]
    for (name, value) in inner.object {
      guard let isAllowed = value.boolValue else { throw inner.wrong(name, "must be true or false") }
      actions[name] = isAllowed
    }
    if actions.isEmpty {
      warnings.append(
        properties.warning("actionValues", "is empty, so that the policy allows and denies nothing"))
    }
    return actions
  }
}
