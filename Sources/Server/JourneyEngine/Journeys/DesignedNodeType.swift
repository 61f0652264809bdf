public import StrictJSON

/// A node type that a team has made in the node designer: a script of the second generation, and the properties that it reads.
///
/// Exports have designed types under `nodeTypes`, beside a journey or in files of their own.
public struct DesignedNodeType: Sendable, Hashable {
  /// The prefix before ``serviceName`` in the type of a node.
  public static let prefix = "designer-"

  public var serviceName: String

  /// What editors call it.
  public var displayName: String

  /// What the script can choose, in the editor's order.
  public var outcomes: [String]

  /// Whether nodes have the outcome ``errorOutcome``.
  public var hasErrorOutcome: Bool

  /// Taken when the script fails.
  public static let errorOutcome = "Script Error"

  /// State variables that the script reads and sets; empty for all.
  public var inputs: [String]
  public var outputs: [String]

  /// The properties of nodes, in the type's order.
  public var properties: [Property]
  public var script: JourneyScript

  /// The file that has the script, for messages.
  public var file: String

  /// Why no node can be made of the type: one sentence without the place; `nil` when nothing is wrong.
  public var problem: String?

  /// The type as the export has it, with the script in it.
  public var document: JSONObject

  /// Whether another file of the realm has a different type of this name.
  var isAmbiguous = false

  /// The type of its nodes.
  public var nodeType: String { Self.prefix + serviceName }

  /// A property of the nodes.
  public struct Property: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
      case string, number, boolean, object

      /// An unknown kind: values are handed to the script unchanged.
      case other
    }

    public var name: String
    public var kind: Kind
    public var isRequired: Bool
    public var isMultivalued: Bool
    public var defaultValue: JSONValue?

    /// The values that an editor offers; empty when any will do.
    public var options: [String]
  }
}

extension DesignedNodeType {
  /// Reads a type of an export that holds the text of the script itself.
  public init(_ document: JSONObject) {
    self.init(
      document, name: "",
      script: document["script"]?.stringValue.map { .success(($0, "")) }
        ?? .failure(Problem(text: "its script is not a text")))
  }

  /// - Parameters:
  ///   - name: the type's name in the section, for a document without `_id`.
  ///   - script: the text and the file that has it.
  init(_ document: JSONObject, name: String, script: Result<(text: String, file: String), Problem>) {
    let id = document["_id"]?.stringValue ?? name
    serviceName =
      document["serviceName"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } ?? Self.withoutVersion(id)
    displayName = document["displayName"]?.stringValue ?? serviceName
    outcomes = Self.texts(document["outcomes"])
    hasErrorOutcome = document["errorOutcome"]?.boolValue ?? false
    inputs = Self.texts(document["inputs"])
    outputs = Self.texts(document["outputs"])
    properties = (document["properties"]?.objectValue ?? [:]).map { Property(name: $0.name, $0.value) }
    var source = ""
    (self.document, file) = (document, "")
    switch script {
    case .success(let script):
      (source, file) = (script.text, script.file)
      self.document["script"] = .string(source)
    case .failure(let failure): problem = failure.text
    }
    self.script = JourneyScript(
      id: id, name: displayName, source: source,
      language: document["language"]?.stringValue ?? "JAVASCRIPT", context: "NODE_DESIGNER",
      evaluatorVersion: "2.0")
    if problem == nil, outcomes.isEmpty, !hasErrorOutcome { problem = "has no outcomes" }
    if problem == nil, self.script.language.uppercased() == "GROOVY" {
      problem = "its script is written in Groovy, which does not run here; rewrite it in JavaScript"
    }
  }

  /// Why a script cannot be read.
  struct Problem: Error { let text: String }

  /// Removes the type's version, `-1`, from the end of an id.
  private static func withoutVersion(_ id: String) -> String {
    id.hasSuffix("-1") ? String(id.dropLast(2)) : id
  }

  private static func texts(_ value: JSONValue?) -> [String] {
    (value?.arrayValue ?? []).compactMap(\.stringValue)
  }

  /// This type, which wins over `other` of the same name; marked as ambiguous when the two differ.
  func beside(_ other: DesignedNodeType) -> DesignedNodeType {
    var both = self
    both.isAmbiguous = isAmbiguous || other.isAmbiguous || document != other.document
    return both
  }
}

extension DesignedNodeType.Property {
  fileprivate init(name: String, _ value: JSONValue) {
    self.name = name
    kind = Kind(rawValue: value["type"]?.stringValue?.lowercased() ?? "string") ?? .other
    isRequired = value["required"]?.boolValue ?? false
    isMultivalued = value["multivalued"]?.boolValue ?? false
    defaultValue = value["defaultValue"].flatMap { $0.isNull ? nil : $0 }
    options = value["options"]?.objectValue?.names ?? []
  }
}

extension NodeDefinition {
  /// What the node's type is called in the designer; `nil` for types that were not made there.
  public var designedTypeName: String? {
    type.hasPrefix(DesignedNodeType.prefix) ? String(type.dropFirst(DesignedNodeType.prefix.count)) : nil
  }

  /// The node's type, if it was made in the designer and ``attachments`` has it.
  public var designedType: DesignedNodeType? { designedTypeName.flatMap { attachments.nodeTypes[$0] } }
}

extension JSONObject {
  /// This document of a journey, with `types` and their scripts under `nodeTypes`, because a copy has no other files beside it.
  public func withNodeTypes(_ types: [DesignedNodeType]) -> JSONObject {
    guard !types.isEmpty else { return self }
    var section = self["nodeTypes"]?.objectValue ?? JSONObject()
    for type in types.sorted(by: { $0.serviceName < $1.serviceName }) {
      let present = section.first { $0.value["serviceName"]?.stringValue == type.serviceName }
      let refersToFile = present?.value["script"]?.stringValue?.hasPrefix("file://") == true
      guard present == nil || refersToFile else { continue }
      section[present?.name ?? type.script.id] = .object(type.document)
    }
    var document = self
    document["nodeTypes"] = .object(section)
    return document
  }
}
