public import StrictJSON

extension ConsentMapping {
  private static let mostMappings = 20
  private static let mostFields = 100
  private static let longestText = 1024

  /// Reads a list of `{"name", "displayName", "icon", "accessLevel", "isRequired", "fields"}`; all but the name may be missing.
  public static func parse(_ json: JSONValue) throws(ConsentMappingError) -> [ConsentMapping] {
    guard let list = json.arrayValue, list.count <= mostMappings else {
      throw ConsentMappingError("consentMappings must be a list of at most \(mostMappings)")
    }
    var mappings: [ConsentMapping] = []
    for element in list {
      guard let object = element.objectValue, let name = object["name"]?.stringValue,
        (1...128).contains(name.utf8.count)
      else { throw ConsentMappingError("each of consentMappings needs a name of at most 128 bytes") }
      guard !mappings.contains(where: { $0.name == name }) else {
        throw ConsentMappingError("consentMappings has \(name.quoted) twice")
      }
      func text(_ member: String) throws(ConsentMappingError) -> String? {
        guard let value = object[member], !value.isNull else { return nil }
        guard let text = value.stringValue, text.utf8.count <= longestText else {
          throw ConsentMappingError("\(member) of the consent \(name.quoted) must be a text")
        }
        return text
      }
      var mapping = ConsentMapping(
        name, displayName: try text("displayName"), icon: try text("icon") ?? "",
        accessLevel: try text("accessLevel") ?? "")
      if let value = object["isRequired"], !value.isNull {
        guard let flag = value.boolValue else {
          throw ConsentMappingError("isRequired of the consent \(name.quoted) must be true or false")
        }
        mapping.isRequired = flag
      }
      if let value = object["fields"], !value.isNull {
        let fields = value.arrayValue?.compactMap(\.stringValue)
        guard let fields, fields.count == value.arrayValue?.count, fields.count <= mostFields else {
          throw ConsentMappingError("fields of the consent \(name.quoted) must be a list of texts")
        }
        mapping.fields = fields
      }
      mappings.append(mapping)
    }
    return mappings
  }
}

/// What is wrong with configured consents: one sentence without its full stop.
public struct ConsentMappingError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
