import Foundation
import JourneyEngine
import JourneyNodes
import StrictJSON
import Testing

/// The table of `docs/journey-files.md`: what is done about values that cannot be taken as they stand.
@Suite("Values that cannot be taken") struct PropertyTableTests {
  /// Warnings of a journey of one node with these properties, over those that it needs.
  /// - Parameter registry: A new one for each journey takes ten times as long as the journey.
  private func warnings(
    _ type: String, _ properties: JSONObject, of registry: NodeRegistry? = nil
  ) async throws -> [JourneyWarning] {
    let documentation = try #require(NodeDocumentation.all[type])
    var details = documentation.example
    details["_id"] = "n"
    details["_type"] = ["_id": .string(type)]
    details.merge(properties)
    let file: JSONObject = [
      "tree": [
        "_id": "J", "entryNodeId": "n",
        "nodes": ["n": ["nodeType": .string(type), "displayName": "The node", "connections": [:]]],
      ],
      "nodes": ["n": .object(details)],
      "scripts": .object(
        JSONObject(
          documentation.scripts.map { ($0.id, ["name": .string($0.name), "script": .string($0.source)]) })),
    ]
    let made = if let registry { registry } else { try await NodeDocumentationTests.registry() }
    var catalog = JourneyCatalog(registry: made)
    #expect(try catalog.load(file.serialized, realm: "alpha", source: "f") == ["J"])
    return catalog.warnings.filter { [.replacedValue, .unplayable, .missingScript].contains($0.kind) }
  }

  @Test func `a script that is not in the file is said once, and the node fails when it is reached`()
    async throws
  {
    for type in ["ScriptedDecisionNode", "SocialProviderHandlerNode"] {
      let found = try await warnings(type, ["script": "gone"])
      #expect(found.map(\.kind) == [.missingScript] && found.first?.property == "script", "\(found)")
      #expect(found.first?.remedy.contains("until then the journey fails") == true)
    }
    // This one has never run its script, and goes on without it.
    let match = try await warnings("DeviceMatchNode", ["useScript": true, "script": "gone"])
    #expect(match.map(\.kind) == [.missingScript] && match.first?.remedy.contains("until then") == false)
  }

  struct Row: CustomTestStringConvertible {
    let type: String
    let property: String
    let value: JSONValue

    /// A part of what is done instead; `nil` when the node fails when it is reached.
    let remedy: String?
    var others: JSONObject = [:]

    init(
      _ type: String, _ property: String, _ value: JSONValue, _ remedy: String?, with others: JSONObject = [:]
    ) {
      (self.type, self.property, self.value, self.remedy, self.others) = (
        type, property, value, remedy, others
      )
    }

    var testDescription: String { "\(type) \(property) = \(value.text.prefix(60))" }
  }

  static let rows = [
    Row("ChoiceCollectorNode", "defaultChoice", "none", "first choice", with: ["choices": ["a"]]),
    Row("ChoiceCollectorNode", "choices", ["a", "a"], "once"), Row("ChoiceCollectorNode", "choices", [], nil),
    Row("MessageNode", "message", 5, "built-in"), Row("MessageNode", "message", "text", "every language"),
    Row("MessageNode", "stateField", "username", nil),
    Row("SetSuccessUrlNode", "successUrl", "javascript:x", "without it"),
    Row("SetFailureUrlNode", "failureUrl", "//evil", "without it"),
    Row("SetSuccessDetailsNode", "successDetails", ["tokenId": "x"], "left out"),
    Row("SetFailureDetailsNode", "failureDetails", ["a": 5], "taken as the text"),
    Row("SetFailureDetailsNode", "failureDetails", "none", "Nothing is added"),
    Row("AccountLockoutNode", "lockAction", "BLOCK", nil),
    Row("AnonymousUserNode", "anonymousUserName", "", nil),
    Row("RetryLimitDecisionNode", "retryLimit", 5000, "1000"),
    Row("RetryLimitDecisionNode", "retryLimit", -1, "0 "),
    Row("RetryLimitDecisionNode", "retryLimit", "x", nil),
    Row("PollingWaitNode", "secondsToWait", 0, "1 "), Row("PollingWaitNode", "secondsToWait", "x", "8 "),
    Row("PollingWaitNode", "spamDetectionEnabled", "x", "true"),
    Row("SetPersistentCookieNode", "maxLife", 1_000_000, " is used"),
    Row("SetPersistentCookieNode", "maxLife", 0, nil),
    Row("SetPersistentCookieNode", "useSecureCookie", "x", "true"),
    Row("SetPersistentCookieNode", "persistentCookieName", "a b", nil),
    Row("PersistentCookieDecisionNode", "enforceClientIp", "x", "true"),
    Row("WebAuthnRegistrationNode", "userVerificationRequirement", "x", nil),
    Row("WebAuthnAuthenticationNode", "userVerificationRequirement", "x", nil),
    Row("WebAuthnRegistrationNode", "userVerificationRequirement", "required", "REQUIRED"),
    Row("WebAuthnRegistrationNode", "attestationPreference", "x", nil),
    Row("WebAuthnRegistrationNode", "fidoCertificationLevel", "x", nil),
    Row("WebAuthnRegistrationNode", "authenticatorAttachment", "x", nil),
    Row("WebAuthnRegistrationNode", "acceptedSigningAlgorithms", ["ES256", "X"], "not offered"),
    Row("WebAuthnRegistrationNode", "acceptedSigningAlgorithms", ["X"], nil),
    Row("WebAuthnRegistrationNode", "relyingPartyName", "", "ForgeRock"),
    Row("WebAuthnRegistrationNode", "relyingPartyDomain", "https://a.example", nil),
    Row("WebAuthnRegistrationNode", "origins", [""], nil),
    Row("WebAuthnRegistrationNode", "maxSavedDevices", 5000, "1000"),
    Row("WebAuthnRegistrationNode", "maxSavedDevices", -1, nil),
    Row("WebAuthnRegistrationNode", "enforceRevocationCheck", "x", "true"),
    Row("WebAuthnAuthenticationNode", "isRecoveryCodeAllowed", "x", "false"),
    Row("WebAuthnAuthenticationNode", "requiresResidentKey", "x", nil),
    Row("WebAuthnAuthenticationNode", "timeout", 7200, "3600"),
    Row("ModifyAuthLevelNode", "authLevelIncrement", 5000, "1000"),
    Row("ModifyAuthLevelNode", "authLevelIncrement", -5000, nil),
    Row("AuthLevelDecisionNode", "authLevelRequirement", -5, "0 "),
    Row("AuthLevelDecisionNode", "authLevelRequirement", 5000, nil),
    Row("SessionDataNode", "sessionDataKey", "Password", nil),
    Row("SessionDataNode", "sharedStateKey", "", nil),
    Row("ScriptedDecisionNode", "outcomes", [], nil),
    Row("ScriptedDecisionNode", "outcomes", "true", "alone"),
    Row("DeviceBindingNode", "authenticationType", "FACE", nil),
    Row("DeviceBindingNode", "applicationIds", [], nil),
    Row("DeviceBindingNode", "applicationIds", "com.acme.wallet", "alone"),
    Row("DeviceBindingNode", "clientErrorOutcomes", ["success"], "left out"),
    Row("DeviceBindingNode", "skewAllowance", 1_000_000, " is used"),
    Row("DeviceBindingNode", "skewAllowance", -1, nil),
    Row("DeviceBindingNode", "timeout", 100_000, "3600"), Row("DeviceBindingNode", "timeout", "soon", "60 "),
    Row("DeviceBindingNode", "attestationRequired", "x", "true"),
    Row("DeviceBindingNode", "requiresStrongestFactor", "x", "true"),
    Row("OathDeviceStorageNode", "requiresStrongestFactor", "x", "true"),
    Row("DeviceSigningVerifierNode", "sharedStateAttribute", "", nil, with: ["challenge": false]),
    Row("DeviceSigningVerifierNode", "captureFailure", "x", "false"),
    Row("OathRegistrationNode", "issuer", "", "ForgeRock"),
    Row("OathRegistrationNode", "bgColor", "red", "032b75"),
    Row("OathRegistrationNode", "imgUrl", .string(String(repeating: "x", count: 2000)), "none"),
    Row("OathRegistrationNode", "accountName", "NICKNAME", "USERNAME"),
    Row("OathRegistrationNode", "generateRecoveryCodes", "x", "false"),
    Row("OathRegistrationNode", "passwordLength", "TEN", nil),
    Row("OathRegistrationNode", "minSharedSecretLength", 10, "32"),
    Row("OathRegistrationNode", "truncationOffset", 300, nil),
    Row("CombinedMultiFactorRegistrationNode", "policiesJson", "[]", nil),
    Row("OathTokenVerifierNode", "algorithm", "SMS", nil),
    Row("OathTokenVerifierNode", "totpTimeSteps", 500, "100"),
    Row("OathTokenVerifierNode", "totpTimeInterval", 0, nil),
    Row("RecoveryCodeCollectorDecisionNode", "recoveryCodeType", "x", nil),
    Row("IdentityStoreDecisionNode", "minimumPasswordLength", 1000, nil),
    Row("IdentityStoreDecisionNode", "minimumPasswordLength", -1, "0 "),
    Row("ZeroPageLoginNode", "allowWithoutReferer", "x", "false"),
    Row("ValidatedPasswordNode", "validateInput", "x", nil),
    Row("DeviceMatchNode", "acceptableVariance", 5000, "1000"), Row("DeviceMatchNode", "expiration", -1, nil),
    Row("DeviceProfileCollectorNode", "maximumSize", 100, "32"),
    Row("DeviceProfileCollectorNode", "deviceLocation", "x", nil),
    Row("DeviceSaveNode", "maxSavedProfiles", 50, "10"), Row("DeviceSaveNode", "maxSavedProfiles", 0, nil),
    Row("OneTimePasswordGeneratorNode", "length", 4, "6"),
    Row("OneTimePasswordGeneratorNode", "length", 40, nil),
    Row("OneTimePasswordCollectorDecisionNode", "passwordExpiryTime", 10_000, "1440"),
    Row("OneTimePasswordCollectorDecisionNode", "passwordExpiryTime", 0, nil),
    Row("OneTimePasswordSmtpSenderNode", "fromEmailAddress", "x", "server's own"),
    Row("OneTimePasswordSmtpSenderNode", "emailAttribute", "", nil),
    Row("PushAuthenticationSenderNode", "pushType", "OTHER", nil),
    Row("PushAuthenticationSenderNode", "messageTimeout", 10_000_000, "3600000"),
    Row("PushAuthenticationSenderNode", "messageTimeout", 3_600_000, "600000", with: ["pushType": "CODE"]),
    Row("PushAuthenticationSenderNode", "customPayload", ["password"], "not sent"),
    Row("PushAuthenticationSenderNode", "mandatory", "x", "true"),
    Row("PushRegistrationNode", "allowMultipleDevices", "x", "false"),
    Row("PushWaitNode", "secondsToWait", 5000, "300"),
    Row("EmailSuspendNode", "objectLookup", "x", "true"), Row("EmailSuspendNode", "emailAttribute", "", nil),
    Row("AttributeCollectorNode", "attributesToCollect", [], "Nothing is asked"),
    Row("AttributeCollectorNode", "attributesToCollect", ["password"], nil),
    Row("AttributeCollectorNode", "required", "x", "true"),
    Row("AttributePresentDecisionNode", "presentAttribute", "", nil),
    Row("AttributeValueDecisionNode", "comparisonOperation", "LIKE", nil),
    Row("QueryFilterDecisionNode", "queryFilter", "a eq", nil),
    Row("IdentifyExistingUserNode", "identifier", "mail", nil),
    Row("LoginCountDecisionNode", "amount", 0, nil),
    Row("LoginCountDecisionNode", "interval", "SOMETIMES", nil),
    Row("PatchObjectNode", "identityResource", "managed/role", nil),
    Row("PatchObjectNode", "patchAsObject", "x", "true"),
    Row("KbaCreateNode", "allowUserDefinedQuestions", "x", "false"),
    Row("SelectIdPNode", "offerOnlyExisting", "x", "true"),
    Row("SelectIdPNode", "includeLocalAuthentication", "x", nil),
    Row("SocialProviderHandlerNode", "clientType", "x", nil),
    Row("TransactionCollectorNode", "sharedStateAttribute", "username", nil),
  ]

  @Test(arguments: rows)
  func `each is replaced by what is no weaker, or its node fails when it is reached`(row: Row) async throws {
    var properties = row.others
    properties[row.property] = row.value
    let found = try await warnings(row.type, properties)
      .filter { $0.property == row.property && $0.kind != .missingScript }
    let warning = try #require(found.first)
    #expect(warning.nodeID == "n" && warning.nodeType == row.type && warning.nodeName == "The node")
    #expect(warning.kind == (row.remedy == nil ? .unplayable : .replacedValue))
    if let remedy = row.remedy { #expect(warning.remedy.contains(remedy), "\(warning.remedy)") }
  }

  private static let page = URL(filePath: #filePath).appending(path: "../../../../docs/journey-files.md")
    .standardizedFileURL

  @Test func `the page names each node and property of the table`() throws {
    let lines = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
    for row in Self.rows {
      #expect(
        lines.contains { $0.contains("`\(row.type)`") && $0.contains("`\(row.property)`") },
        "\(row.type) \(row.property)")
    }
  }

  /// Values of no type that a property has.
  static let strange: [JSONValue] = [
    [[:]], ["x": []], 1e300, "\u{0}", .array(Array(repeating: [], count: 1000)),
  ]

  /// What older social nodes hold only chooses a configured provider, whose own settings count, and class names mean nothing here.
  private static func isOnlyCompared(_ type: String, _ property: String) -> Bool {
    property == "accountProviderClass"
      || type.hasPrefix("Social") && type != "SocialProviderHandlerNode"
        && type != "SocialOAuthIgnoreProfileNode"
  }

  @Test(arguments: strange)
  func `whatever a property holds, the journey loads, and a warning names a node that fails`(
    value: JSONValue
  ) async throws {
    let registry = try await NodeDocumentationTests.registry()
    let reference = NodeReference(registry)
    for type in registry.types {
      for property in try reference.properties(of: type) {
        let found = try await warnings(type, [property.name: value], of: registry)
        for warning in found {
          #expect(
            warning.property != nil && !warning.problem.isEmpty && !warning.remedy.isEmpty,
            "\(type) \(property.name): \(warning)")
        }
        if value.arrayValue != nil, !Self.isOnlyCompared(type, property.name) {
          #expect(found.contains { $0.property == property.name }, "\(type) \(property.name)")
        }
      }
    }
  }
}
