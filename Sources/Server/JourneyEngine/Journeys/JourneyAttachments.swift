public import StrictJSON

/// The parts of a journey file beside its nodes.
public struct JourneyAttachments: Sendable, Hashable {
  /// Scripts by the id that nodes name.
  public var scripts: [String: JourneyScript]

  /// E-mail templates by name, as the file has them.
  public var emailTemplates: [String: JSONObject]

  /// Node types of the designer, by their `serviceName`.
  public var nodeTypes: [String: DesignedNodeType]

  /// The library scripts by name, gathered once for all nodes of a journey.
  private var gathered: [String: String]?

  /// Scripts of the file that cannot be read, by id, with the reason. No other file's script replaces one.
  var unreadableScripts: [String: String] = [:]

  public init(
    scripts: [String: JourneyScript] = [:], emailTemplates: [String: JSONObject] = [:],
    nodeTypes: [String: DesignedNodeType] = [:]
  ) {
    self.scripts = scripts
    self.emailTemplates = emailTemplates
    self.nodeTypes = nodeTypes
  }

  /// The texts of library scripts, by the name that `require` takes; of several with one name, the first by id.
  public var libraries: [String: String] { gathered ?? scripts.values.libraries }

  /// Gathers the libraries once all scripts are added, because otherwise each node of a large journey would search all scripts.
  mutating func gatherLibraries() { gathered = scripts.values.libraries }
}

extension Sequence<JourneyScript> {
  /// The texts of library scripts, by the name that `require` takes; of several with one name, the first by id.
  public var libraries: [String: String] {
    Dictionary(
      filter { $0.context == "LIBRARY" }.sorted { $0.id < $1.id }.map { ($0.name, $0.source) },
      uniquingKeysWith: { first, _ in first })
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
