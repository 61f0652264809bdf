internal import Bytes
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

extension JourneyCatalog {
  /// The journey's document with the scripts of separate files put into it, as in PingAM's interface, because a copy has no files beside
  /// it. `nil` when there is no such journey.
  public func portableDocument(journey: String, realm: String) -> JSONObject? {
    guard let document = document(journey: journey, realm: realm) else { return nil }
    return document.withScripts(of: attachments(journey: journey, realm: realm) ?? JourneyAttachments())
      .withNodeTypes(nodeTypes(journey: journey, realm: realm))
  }
}

extension JSONObject {
  /// The document of a journey with the text of its scripts in it.
  public func withScripts(of attachments: JourneyAttachments) -> JSONObject {
    guard var scripts = self["scripts"]?.objectValue else { return self }
    for (id, value) in scripts {
      guard var script = value.objectValue, script["script"]?.stringValue?.hasPrefix("file://") == true,
        let source = attachments.scripts[id]?.source
      else { continue }
      script["script"] = .string(PaddedBase64.encode(Array(source.utf8)))
      scripts[id] = .object(script)
    }
    var document = self
    document["scripts"] = .object(scripts)
    return document
  }
}
