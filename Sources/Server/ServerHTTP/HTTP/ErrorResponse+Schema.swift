package import Accounts
internal import HTTPTypes
internal import StrictJSON

extension ErrorResponse {
  /// 400 with the rules that values do not follow, by attribute, as PingAM's policies say it.
  package static func refused(_ failures: [ManagedSchema.Failure]) -> Self {
    var byAttribute: [(name: String, requirements: [JSONValue])] = []
    for failure in failures {
      if let place = byAttribute.firstIndex(where: { $0.name == failure.attribute }) {
        byAttribute[place].requirements.append(.object(failure.json))
      } else {
        byAttribute.append((failure.attribute, [.object(failure.json)]))
      }
    }
    let names = byAttribute.map(\.name).joined(separator: ", ")
    return Self(
      .badRequest, "Policy validation failed: \(names).",
      detail: [
        "result": false,
        "failedPolicyRequirements": .array(
          byAttribute.map { ["property": .string($0.name), "policyRequirements": .array($0.requirements)] }),
      ])
  }
}
