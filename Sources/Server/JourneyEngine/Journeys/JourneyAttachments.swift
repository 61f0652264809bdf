public import StrictJSON

/// What a journey file holds beside its nodes.
public struct JourneyAttachments: Sendable, Hashable {
  /// Scripts by the id that nodes name.
  public var scripts: [String: JourneyScript]

  /// E-mail templates by name, as the file has them.
  public var emailTemplates: [String: JSONObject]

  /// Node types of the designer, by their `serviceName`.
  public var nodeTypes: [String: DesignedNodeType]

  public init(
    scripts: [String: JourneyScript] = [:], emailTemplates: [String: JSONObject] = [:],
    nodeTypes: [String: DesignedNodeType] = [:]
  ) {
    self.scripts = scripts
    self.emailTemplates = emailTemplates
    self.nodeTypes = nodeTypes
  }
}

/// A script of a journey file, as text.
public struct JourneyScript: Sendable, Hashable {
  public var id: String
  public var name: String

  /// The text, decoded from any of the forms that exports have.
  public var source: String

  /// `JAVASCRIPT` or `GROOVY`.
  public var language: String

  /// `AUTHENTICATION_TREE_DECISION_NODE`, `LIBRARY` and so on.
  public var context: String

  /// `1.0` for legacy bindings, `2.0` for the next generation.
  public var evaluatorVersion: String

  public init(
    id: String, name: String, source: String, language: String = "JAVASCRIPT",
    context: String = "AUTHENTICATION_TREE_DECISION_NODE", evaluatorVersion: String = "1.0"
  ) {
    self.id = id
    self.name = name
    self.source = source
    self.language = language
    self.context = context
    self.evaluatorVersion = evaluatorVersion
  }
}
