internal import StrictJSON

/// What is wrong with a schema's file: where, and what to write.
public struct ManagedSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}

extension ManagedSchema {
  /// Most attributes of a schema, members of objects included.
  private static let mostAttributes = 500

  /// Reads a schema of PingIDM's form: `properties`, `required`, `order` and `additionalProperties`, possibly below `schema`.
  ///
  /// - Throws: ``ManagedSchemaError`` that names the attribute and the member. Members without a meaning here are ignored.
  public init(parsing bytes: some Sequence<UInt8>) throws(ManagedSchemaError) {
    let object: JSONObject
    do {
      guard let parsed = try JSONValue(parsing: bytes).objectValue else {
        throw ManagedSchemaError(description: "the schema is not a JSON object")
      }
      object = parsed
    } catch let error as ManagedSchemaError { throw error } catch {
      throw ManagedSchemaError(description: "the schema is not JSON: \(error)")
    }
    try self.init(object["schema"]?.objectValue ?? object)
  }

  private init(_ schema: JSONObject) throws(ManagedSchemaError) {
    var count = 0
    // PingIDM's own schema lets owners edit it, and has no index for it: here it decides who signs in.
    attributes =
      try Self.attributes(of: schema, path: "", count: &count)
      .filter { $0.name != ManagedAttribute.links } + [Self.aliases]
    allowsOthers = schema["additionalProperties"]?.boolValue ?? true
    guard let userName = attribute(ManagedAttribute.userName), userName.type == .string else {
      throw ManagedSchemaError(description: "the schema has no property userName of type string")
    }
    guard attribute(ManagedAttribute.mail).map({ $0.type == .string }) ?? true else {
      throw ManagedSchemaError(description: "the property mail must be of type string")
    }
  }

  private static func attributes(
    of schema: JSONObject, path: String, count: inout Int
  ) throws(ManagedSchemaError) -> [Attribute] {
    guard let properties = schema["properties"]?.objectValue else {
      throw ManagedSchemaError(
        description: "\(path.isEmpty ? "the schema" : path) has no object `properties`")
    }
    let required = Set(schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    for name in required where properties[name] == nil {
      throw ManagedSchemaError(
        description: "`required` names \(path)\(name), which is not among the properties")
    }
    var attributes: [Attribute] = []
    for (name, value) in properties {
      count += 1
      guard count <= mostAttributes else {
        throw ManagedSchemaError(description: "a schema has at most \(mostAttributes) properties")
      }
      guard let property = value.objectValue else {
        throw ManagedSchemaError(description: "the property \(path)\(name) is not an object")
      }
      // The password is the server's, in whatever form.
      if path.isEmpty, ["password", "_id"].contains(name) { continue }
      if path.isEmpty, ManagedAttribute.hidden.contains(name) { continue }
      attributes.append(
        try attribute(name, property, isRequired: required.contains(name), path: path, count: &count))
    }
    return attributes
  }

  private static func attribute(
    _ name: String, _ property: JSONObject, isRequired: Bool, path: String, count: inout Int
  ) throws(ManagedSchemaError) -> Attribute {
    func wrong(_ problem: String) -> ManagedSchemaError {
      ManagedSchemaError(description: "the property \(path)\(name): \(problem)")
    }
    // A list of types, such as ["string", "null"], means the first.
    let typeName = property["type"]?.stringValue ?? property["type"]?[0]?.stringValue ?? "string"
    // A relationship is a list of references, which nobody here follows.
    guard let type = ValueType(rawValue: typeName) ?? (typeName == "relationship" ? .object : nil) else {
      throw wrong("the type \(typeName) is not known")
    }
    var attribute = Attribute(name, title: property["title"]?.stringValue, type: type)
    func flag(_ member: String) throws(ManagedSchemaError) -> Bool {
      guard let value = property[member], !value.isNull else { return false }
      guard let flag = value.boolValue else { throw wrong("\(member) must be true or false") }
      return flag
    }
    attribute.isRequired = isRequired
    attribute.isSearchable = try flag("searchable")
    attribute.isUserEditable = try flag("userEditable")
    attribute.isUnique = try flag("unique")
    for (index, value) in (property["policies"]?.arrayValue ?? []).enumerated() {
      guard let id = value["policyId"]?.stringValue else { throw wrong("policy \(index) has no policyId") }
      if id == "unique" {
        attribute.isUnique = true
        continue
      }
      if let policy = try policy(id, value["params"], wrong) { attribute.policies.append(policy) }
    }
    guard !attribute.isUnique || (path.isEmpty && [.string, .array].contains(type)) else {
      throw wrong("only top-level texts and lists of texts can be unique")
    }
    if type == .object, property["properties"] != nil {
      attribute.members = try attributes(of: property, path: "\(path)\(name)/", count: &count)
    }
    return attribute
  }

  /// `nil` when the policy says no more than the type does.
  private static func policy(
    _ id: String, _ parameters: JSONValue?, _ wrong: (String) -> ManagedSchemaError
  ) throws(ManagedSchemaError) -> Policy? {
    func number(_ name: String) throws(ManagedSchemaError) -> Double {
      guard let number = parameters?[name]?.doubleValue else {
        throw wrong("the policy \(id) needs the number \(name)")
      }
      return number
    }
    func length(_ name: String) throws(ManagedSchemaError) -> Int {
      guard let length = Int(exactly: try number(name)), length >= 0 else {
        throw wrong("the \(name) of policy \(id) is not a length")
      }
      return length
    }
    switch id {
    case "not-empty", "required": return .notEmpty
    case "valid-email-address-format": return .mailAddress
    case "minimum-length": return .minimumLength(try length("minLength"))
    case "maximum-length": return .maximumLength(try length("maxLength"))
    case "minimum-number": return .minimumNumber(try number("minimum"))
    case "maximum-number": return .maximumNumber(try number("maximum"))
    case "cannot-contain-characters":
      guard let texts = parameters?["forbiddenChars"]?.arrayValue else {
        throw wrong("the policy \(id) needs the list forbiddenChars")
      }
      return .cannotContain(texts.compactMap(\.stringValue))
    case "valid-type", "valid-username", "no-internal-user-conflict", "valid-name-format": return nil
    default: throw wrong("the policy \(id) is not known")
    }
  }
}
