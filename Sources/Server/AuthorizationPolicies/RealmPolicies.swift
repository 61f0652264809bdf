package import StrictJSON

/// The policies of a realm, from the files that the platform exports.
///
/// They decide as the platform's policies do by default: a denial by one policy wins over all others, and an action that no policy names
/// is neither allowed nor denied. Evaluation is pure: all facts come with the request.
package struct RealmPolicies: Sendable {
  /// Active policies by policy set.
  private var policies: [String: [AuthorizationPolicy]] = [:]

  /// Likely mistakes in files that load.
  package private(set) var warnings: [PolicyFileError] = []

  /// The policies by name as their files contain them, inactive ones included.
  package private(set) var documents: [String: JSONObject] = [:]

  /// The number of policies, inactive ones included.
  package var count: Int { documents.count }

  /// The policy set for requests that name none, as on the platform.
  package static let standardApplication = "iPlanetAMWebAgentService"

  /// No policies.
  package init() {}

  /// Reads the files of a realm: exports of policies and policy sets (`policy`, `policyset`), lists as the REST interface answers them
  /// (`result`), and single policies.
  ///
  /// - Throws: ``PolicyFileError`` with file, policy and property.
  package init(_ files: [(name: String, bytes: [UInt8])]) throws(PolicyFileError) {
    var places: [String: String] = [:]
    var reader = PolicyReader()
    for (file, bytes) in files {
      let (sets, found): ([String], [(String, JSONValue)])
      do throws(JSONFault) { (sets, found) = try Self.parts(of: bytes) } catch {
        throw PolicyFileError(file: file, error)
      }
      for name in sets { policies[name, default: []] += [] }
      for (name, value) in found {
        do throws(JSONFault) {
          if let other = places[name] {
            throw JSONFault(
              "is also the name of a policy in \(other); names must be unique in a realm", at: "name")
          }
          places[name] = file
          documents[name] = value.objectValue ?? JSONObject()
          guard count <= PolicyLimits.policies else {
            throw JSONFault("the realm has more than \(PolicyLimits.policies) policies")
          }
          // A fault's path is relative to its policy.
          let policy = try reader.policy(
            JSONReader(value, rules: PolicyLimits.rules), named: name, in: file)
          policies[policy.application, default: []] += policy.isActive ? [policy] : []
        } catch { throw PolicyFileError(file: file, policy: name, error) }
      }
    }
    warnings = reader.warnings
  }

  private static func parts(
    of file: [UInt8]
  ) throws(JSONFault) -> (sets: [String], policies: [(String, JSONValue)]) {
    let document = try JSONReader(
      parsing: file, limits: JSONLimits(maximumBytes: PolicyLimits.fileBytes), rules: PolicyLimits.rules)
    var sets: [String] = []
    var policies: [(String, JSONValue)] = []
    func add(_ name: String?, _ part: JSONReader) throws(JSONFault) {
      guard let name = part["name"]?.value.stringValue ?? name, !name.isEmpty, part.value.objectValue != nil
      else { throw part.wrong("must be an object with a name") }
      if part.value["actionValues"] != nil || part.value["applicationName"] != nil {
        policies.append((name, part.value))
      } else {
        sets.append(name)
      }
    }
    if document["policy"] == nil, document["policyset"] == nil, document["result"] == nil {
      guard document["actionValues"] != nil || document["applicationType"] != nil else {
        throw document.wrong(
          "has no policies: it needs \"policy\" and \"policyset\" as exports have them, or \"result\", or is one policy"
        )
      }
      try add(nil, document)
    }
    for member in ["policyset", "policy"] {
      for (name, part) in try document[member]?.members(atMost: .max) ?? [] { try add(name, part) }
    }
    for part in try document["result"]?.elements(atMost: .max) ?? [] { try add(nil, part) }
    return (sets, policies)
  }

  /// Returns the policies' decisions, in the order of the resources.
  ///
  /// - Parameter budget: the cost that the evaluation may spend; the unspent rest stays in it.
  /// - Throws: ``PolicyRequestError`` for a policy set that does not exist, for too many resources, and when the budget is used up.
  package func evaluate(
    _ request: PolicyRequest, _ budget: inout PolicyBudget
  ) throws(PolicyRequestError) -> [PolicyDecision] {
    guard let policies = policies[request.application] else {
      throw PolicyRequestError("there is no policy set \(request.application.quoted) in this realm")
    }
    guard (1...PolicyLimits.resources).contains(request.resources.count),
      request.resources.allSatisfy({ (1...PolicyLimits.textBytes).contains($0.utf8.count) })
    else {
      throw PolicyRequestError(
        "ask for 1 to \(PolicyLimits.resources) resources, each with 1 to \(PolicyLimits.textBytes) bytes")
    }
    let facts = PolicyFacts(request)
    var decisions: [PolicyDecision] = []
    for resource in request.resources {
      var decision = PolicyDecision(resource: resource)
      let canonical = ResourcePattern.canonical(resource)
      for policy in policies {
        var isFound = false
        for pattern in policy.resources where !isFound { isFound = try pattern.matches(canonical, &budget) }
        if isFound { try policy.apply(facts, to: &decision, &budget) }
      }
      decisions.append(decision)
    }
    return decisions
  }
}
