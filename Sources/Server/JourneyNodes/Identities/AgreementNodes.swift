internal import Accounts
internal import Foundation
public import JourneyEngine
internal import QueryFilters
package import StrictJSON

extension NodeDefinition {
  /// Asks for consent to each system that attributes are shared with (``ConsentMapping``); without any, nothing is asked.
  ///
  /// What was agreed to, and when, is collected as `consentedMappings`, as PingIDM keeps it. Systems that the person did not agree to this
  /// time are left out, so writing it into the account withdraws an earlier consent.
  func consentNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let message = try textOrLocalized(
      "message", builtIn: "You consent to your data being shared with external services.")
    let requiresAll = try flag("allRequired", default: false)
    let mappings = services.consentMappings.map { mapping in
      var mapping = mapping
      mapping.isRequired = mapping.isRequired || requiresAll
      return mapping
    }
    return PlainNode(
      stateOutputs: [StateKey.objectAttributes],
      warnings: mappings.isEmpty
        ? ["no consents are configured, so it asks nothing: consentMappings of --identity-schema"] : []
    ) { context in
      guard !mappings.isEmpty else {
        return context.outcome("outcome", because: "no consents are configured")
      }
      let agreed = mappings.indices.filter { context.reply?.agrees(at: $0) ?? false }
      let isComplete = mappings.indices.allSatisfy { agreed.contains($0) || !mappings[$0].isRequired }
      guard context.reply != nil, isComplete else {
        if context.reply != nil { context.logReason("a required consent was not given") }
        let text = message.text(for: context.request.locales)
        return .callbacks(mappings.map { $0.callback(text) })
      }
      let date = services.clock().formatted(.iso8601)
      let consents = agreed.map { index -> JSONValue in
        ["mapping": .string(mappings[index].name), "consentDate": .string(date)]
      }
      context.state.shared.objectAttributes[ManagedAttribute.consentedMappings] = .array(consents)
      return .outcome("outcome")
    }
  }
}

extension ConsentMapping {
  fileprivate func callback(_ message: String) -> OutgoingCallback {
    OutgoingCallback(
      type: "ConsentMappingCallback",
      outputs: [
        .init("name", .string(name)), .init("displayName", .string(displayName)),
        .init("icon", .string(icon)), .init("accessLevel", .string(accessLevel)),
        .init("isRequired", .bool(isRequired)), .init("message", .string(message)),
        .init("fields", .array(fields.map { .string($0) })),
      ], inputs: [.init("", false)])
  }
}

/// Another system that the operator shares attributes of accounts with, and for which people are asked.
public struct ConsentMapping: Sendable, Hashable {
  /// Its name in the account's record of consents.
  public var name: String

  /// The name shown to people.
  public var displayName: String

  /// The address of an icon, or empty.
  public var icon: String

  /// How much is shared, for people: `Actual Profile`.
  public var accessLevel: String

  /// Whether a journey that asks continues only with consent.
  public var isRequired: Bool

  /// The attributes that are shared, for people.
  public var fields: [String]

  public init(
    _ name: String, displayName: String? = nil, icon: String = "", accessLevel: String = "",
    isRequired: Bool = false, fields: [String] = []
  ) {
    self.name = name
    self.displayName = displayName ?? name
    self.icon = icon
    self.accessLevel = accessLevel
    self.isRequired = isRequired
    self.fields = fields
  }
}

extension ConsentMapping {
  /// Reads a list of `{"name", "displayName", "icon", "accessLevel", "isRequired", "fields"}`; all but the name may be missing.
  package static func parse(_ json: JSONReader) throws(JSONFault) -> [ConsentMapping] {
    var mappings: [ConsentMapping] = []
    for element in try json.elements("consents", atMost: 20) {
      let name = try element.member("name").text()
      guard name.utf8.count <= 128 else { throw element.wrong("name", "must have at most 128 bytes") }
      guard !mappings.contains(where: { $0.name == name }) else {
        throw element.wrong("name", "\(name.quoted) is there twice")
      }
      var mapping = ConsentMapping(
        name, displayName: try element["displayName"]?.text(), icon: try element["icon"]?.text() ?? "",
        accessLevel: try element["accessLevel"]?.text() ?? "")
      mapping.isRequired = try element["isRequired"]?.flag() ?? mapping.isRequired
      mapping.fields = try element["fields"]?.texts() ?? mapping.fields
      mappings.append(mapping)
    }
    return mappings
  }
}

/// Terms that people accept before an account is made.
public struct TermsAndConditions: Sendable, Hashable {
  public var version = "0.0"
  public var text = LocalizedText([], builtIn: "This service has no terms of its own.")

  /// When this version was made, in ISO 8601.
  public var createDate = "2026-01-01T00:00:00.000Z"

  public init() {}
}

extension NodeDefinition {
  /// Shows the terms, and continues once they are accepted; `termsAccepted` collects which terms and when.
  func acceptTermsAndConditionsNode(_ services: NodeServices) -> PlainNode {
    PlainNode(stateOutputs: [StateKey.objectAttributes]) { context in
      let terms = services.terms
      guard context.reply?.agrees() == true, let pointer = JSONPointer("termsAccepted") else {
        return .callbacks([
          OutgoingCallback(
            type: "TermsAndConditionsCallback",
            outputs: [
              .init("version", .string(terms.version)),
              .init("terms", .string(terms.text.text(for: context.request.locales))),
              .init("createDate", .string(terms.createDate)),
            ], inputs: [.init("", false)])
        ])
      }
      context.state.collect(
        [
          "acceptDate": .string(services.clock().formatted(.iso8601)), "termsVersion": .string(terms.version),
        ], at: pointer)
      return .outcome("outcome")
    }
  }
}
