public import StrictJSON

extension ManagedSchema {
  /// Most attributes of a schema, members of objects included.
  private static let mostAttributes = 500

  /// Reads a schema of PingIDM's form: `properties`, `required`, `order` and `additionalProperties`, possibly below `schema`.
  ///
  /// - Throws: `JSONFault` with the path of the member. Members without a meaning here are ignored.
  public init(parsing bytes: some Sequence<UInt8>) throws(JSONFault) {
    let document = try JSONReader(parsing: bytes, rules: JSONReader.Rules(skipsBlanks: true))
    try self.init(document["schema"] ?? document)
  }

  private init(_ schema: JSONReader) throws(JSONFault) {
    var count = 0
    // PingIDM's own schema lets owners edit the links and has no index for them. Here they decide who signs in.
    attributes =
      try Self.attributes(of: schema, isTop: true, count: &count)
      .filter { $0.name != ManagedAttribute.links } + [Self.aliases]
    allowsOthers = schema["additionalProperties"]?.value.boolValue ?? true
    guard let userName = attribute(ManagedAttribute.userName), userName.type == .string else {
      throw schema.wrong("the schema has no property userName of type string")
    }
    guard attribute(ManagedAttribute.mail).map({ $0.type == .string }) ?? true else {
      throw schema.wrong("the property mail must be of type string")
    }
  }

  private static func attributes(
    of schema: JSONReader, isTop: Bool, count: inout Int
  ) throws(JSONFault) -> [Attribute] {
    let properties = try schema.member("properties").object()
    let required = Set(schema["required"]?.value.arrayValue?.compactMap(\.stringValue) ?? [])
    for name in required where properties.value[name] == nil {
      throw schema.wrong("required", "names \(name), which is not among the properties")
    }
    var attributes: [Attribute] = []
    for (name, property) in try properties.members(atMost: mostAttributes) {
      count += 1
      guard count <= mostAttributes else {
        throw schema.wrong("a schema has at most \(mostAttributes) properties")
      }
      // The server keeps the password itself, whatever the schema says.
      if isTop, ["password", "_id"].contains(name) || ManagedAttribute.hidden.contains(name) { continue }
      attributes.append(
        try attribute(
          name, property.object(), isRequired: required.contains(name), isTop: isTop, count: &count))
    }
    return attributes
  }

  private static func attribute(
    _ name: String, _ property: JSONReader, isRequired: Bool, isTop: Bool, count: inout Int
  ) throws(JSONFault) -> Attribute {
    // A list of types, such as ["string", "null"], means the first.
    let given = property.value["type"]
    let typeName = given?.stringValue ?? given?[0]?.stringValue ?? "string"
    // A relationship is a list of references, which nobody here follows.
    guard let type = ValueType(rawValue: typeName) ?? (typeName == "relationship" ? .object : nil) else {
      throw property.wrong("type", "the type \(typeName) is not known")
    }
    var attribute = Attribute(name, title: property.value["title"]?.stringValue, type: type)
    attribute.isRequired = isRequired
    attribute.isSearchable = try property["searchable"]?.flag() ?? false
    attribute.isUserEditable = try property["userEditable"]?.flag() ?? false
    attribute.isUnique = try property["unique"]?.flag() ?? false
    for entry in try property["policies"]?.elements() ?? [] {
      let id = try entry.member("policyId").text()
      if id == "unique" {
        attribute.isUnique = true
      } else if let policy = try policy(id, entry.member("params"), entry) {
        attribute.policies.append(policy)
      }
    }
    guard !attribute.isUnique || (isTop && [.string, .array].contains(type)) else {
      throw property.wrong("only top-level texts and lists of texts can be unique")
    }
    if type == .object, property["properties"] != nil {
      attribute.members = try attributes(of: property, isTop: false, count: &count)
    }
    return attribute
  }

  /// `nil` when the policy says no more than the type does.
  private static func policy(
    _ id: String, _ parameters: JSONReader, _ entry: JSONReader
  ) throws(JSONFault) -> Policy? {
    func number(_ name: String) throws(JSONFault) -> Double {
      guard let number = parameters.value[name]?.doubleValue else {
        throw parameters.wrong(name, "the policy \(id) needs this number")
      }
      return number
    }
    func length(_ name: String) throws(JSONFault) -> Int {
      try parameters.member(name).number(in: 0...(.max))
    }
    switch id {
    case "not-empty", "required": return .notEmpty
    case "valid-email-address-format": return .mailAddress
    case "minimum-length": return .minimumLength(try length("minLength"))
    case "maximum-length": return .maximumLength(try length("maxLength"))
    case "minimum-number": return .minimumNumber(try number("minimum"))
    case "maximum-number": return .maximumNumber(try number("maximum"))
    case "cannot-contain-characters":
      return .cannotContain(
        try parameters.member("forbiddenChars").elements().compactMap(\.value.stringValue))
    case "valid-type", "valid-username", "no-internal-user-conflict", "valid-name-format": return nil
    default: throw entry.wrong("policyId", "the policy \(id) is not known")
    }
  }
}
