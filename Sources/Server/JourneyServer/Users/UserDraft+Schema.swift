internal import HTTPTypes
internal import JourneyNodes
internal import JourneyStore
internal import StrictJSON

extension UserDraft {
  /// Refuses values that the schema does not allow. What an account has already may stay as it is.
  ///
  /// - Throws: 400 with CREST's names of what is wrong.
  func require(_ schema: ManagedSchema, before user: UserRecord?) throws(ErrorResponse) {
    var failures: [ManagedSchema.Failure] = []
    for (name, value) in attributes where user?.attributes[name] != value {
      guard !ManagedAttribute.hidden.contains(name) else {
        throw .badRequest("The attribute \(name) is kept by the server, and cannot be set.")
      }
      failures += schema.failures(in: [name: value])
    }
    if let mail, mail != user?.mail {
      for address in mail { failures += schema.failures(in: [ManagedAttribute.mail: .string(address)]) }
    }
    guard failures.isEmpty else { throw .refused(failures) }
  }

  /// What the account has afterwards: what nodes keep stays, and what its owner may not change stays as well.
  func attributes(replacing user: UserRecord, isOwner: Bool, _ schema: ManagedSchema) -> JSONObject {
    var all = JSONObject()
    for (name, value) in user.attributes
    where ManagedAttribute.hidden.contains(name) || isOwner && !schema.isEditable(name) {
      all[name] = value
    }
    all.merge(attributes)
    return all
  }
}

extension ErrorResponse {
  /// 400 with the rules that values do not follow, by attribute, as PingAM's policies say it.
  static func refused(_ failures: [ManagedSchema.Failure]) -> Self {
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
