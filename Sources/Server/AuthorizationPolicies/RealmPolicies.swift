package import StrictJSON

/// The policies of a realm, from the files that the platform exports.
///
/// They decide as the platform's do by default: a denial by one policy wins over all others, and an action that no policy names is neither
/// allowed nor denied. Pure: all facts come with the request.
package struct RealmPolicies: Sendable {
  /// Active policies by policy set.
  private var policies: [String: [AuthorizationPolicy]] = [:]

  /// What loads and is likely not what was meant.
  package private(set) var warnings: [PolicyWarning] = []

  /// The policies as the files have them, inactive ones included, by name.
  package private(set) var documents: [String: JSONObject] = [:]

  /// How many policies there are, inactive ones included.
  package var count: Int { documents.count }

  /// The policy set of requests that name none, as at the platform.
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
      func wrong(_ problem: String) -> PolicyFileError {
        PolicyFileError(file: file, policy: nil, property: nil, problem: problem)
      }
      guard bytes.count <= PolicyLimits.fileBytes else {
        throw wrong("is longer than \(PolicyLimits.fileBytes) bytes")
      }
      let document: JSONObject
      do throws(JSONError) {
        document = try JSONObject(
          parsing: bytes, limits: JSONLimits(maximumBytes: PolicyLimits.fileBytes, maximumDepth: 64))
      } catch { throw wrong("is not a JSON object: \(error)") }
      let (sets, found) = try Self.parts(of: document, wrong)
      for name in sets { policies[name, default: []] += [] }
      for (name, object) in found {
        let properties = PolicyProperties(file: file, policy: name, object: object, path: "")
        if let other = places[name] {
          throw properties.wrong(
            "name", "is also the name of a policy in \(other); names must be unique in a realm")
        }
        places[name] = file
        documents[name] = object
        guard count <= PolicyLimits.policies else {
          throw wrong("the realm has more than \(PolicyLimits.policies) policies")
        }
        let policy = try reader.policy(properties)
        policies[policy.application, default: []] += policy.isActive ? [policy] : []
      }
    }
    warnings = reader.warnings
  }

  private static func parts(
    of document: JSONObject, _ wrong: (String) -> PolicyFileError
  ) throws(PolicyFileError) -> (sets: [String], policies: [(String, JSONObject)]) {
    var sets: [String] = []
    var policies: [(String, JSONObject)] = []
    func add(_ name: String?, _ value: JSONValue) throws(PolicyFileError) {
      guard let object = value.objectValue, let name = object["name"]?.stringValue ?? name, !name.isEmpty
      else {
        throw wrong("has a policy or policy set that is not an object with a name")
      }
      if object["actionValues"] != nil || object["applicationName"] != nil {
        policies.append((name, object))
      } else {
        sets.append(name)
      }
    }
    if document["policy"] == nil, document["policyset"] == nil, document["result"] == nil {
      guard document["actionValues"] != nil || document["applicationType"] != nil else {
        throw wrong(
          "has no policies: it needs \"policy\" and \"policyset\" as exports have them, or \"result\", or is one policy"
        )
      }
      try add(nil, .object(document))
      return (sets, policies)
    }
    for member in ["policyset", "policy"] {
      guard let value = document[member] else { continue }
      guard let object = value.objectValue else { throw wrong("\"\(member)\" must be an object") }
      for (name, value) in object { try add(name, value) }
    }
    if let value = document["result"] {
      guard let values = value.arrayValue else { throw wrong("\"result\" must be a list") }
      for value in values { try add(nil, value) }
    }
    return (sets, policies)
  }

  /// What the policies say, in the order of the resources.
  ///
  /// - Parameter budget: what the evaluation may cost; the rest is left in it.
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
