internal import Bytes
internal import StrictJSON

/// Reads a file that a journey file refers to by `file://`, for the text of a script.
///
/// The argument is what follows `file://`. The file must lie in the journey file's own folder; the reader refuses others, and
/// files that are too long. The error is a sentence without a position.
public struct JourneyFileReferences: Sendable {
  /// A reference that cannot be read: one sentence.
  public struct Refusal: Error, Sendable {
    public let reason: String
    public init(_ reason: String) { self.reason = reason }
  }

  /// Longest script that is read, in bytes.
  public static let maximumBytes = 1 << 20

  private let read: @Sendable (String) throws(Refusal) -> [UInt8]

  public init(_ read: @escaping @Sendable (String) throws(Refusal) -> [UInt8]) { self.read = read }

  /// The content of the file that `file://` and this name stand for.
  public func bytes(_ name: String) throws(Refusal) -> [UInt8] { try read(name) }
}

/// Reads the scripts and e-mail templates of a tree, in all forms of exports. Unreadable ones are left out, with a warning.
struct AttachmentReading {
  private(set) var attachments = JourneyAttachments()

  /// The warnings so far; their realm is not set yet.
  private(set) var warnings: [JourneyWarning] = []

  /// The most scripts that may refer to files, so that a small export cannot make the server read without end.
  private static let maximumReferences = 256
  private var references = 0

  init(journey: String, document: JSONObject, references: JourneyFileReferences?) {
    for (id, value) in section("scripts", of: document, journey) {
      do {
        attachments.scripts[id] = try script(id, value, references)
      } catch {
        attachments.unreadableScripts[id] = error.reason
        warn(
          "script \(id): \(error.reason)", .missingScript, "Nodes that name it fail when they are reached.",
          journey, "scripts")
      }
    }
    for (name, value) in section("emailTemplates", of: document, journey) {
      guard let template = value.objectValue else {
        warn(
          "the e-mail template \(name) is not an object", .missingTemplate, "The built-in one is used.",
          journey, "emailTemplates")
        continue
      }
      // Some tools name templates as the platform's configuration does.
      let prefix = "emailTemplate/"
      let plain = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
      attachments.emailTemplates[plain] = template
    }
  }

  private mutating func section(_ name: String, of document: JSONObject, _ journey: String) -> JSONObject {
    guard let value = document.present(name) else { return JSONObject() }
    guard let object = value.objectValue else {
      warn("must be an object", .replacedValue, "The journey has none.", journey, name)
      return JSONObject()
    }
    return object
  }

  private mutating func warn(
    _ problem: String, _ kind: JourneyWarning.Kind, _ remedy: String, _ journey: String, _ property: String
  ) {
    warnings.append(
      JourneyWarning(
        problem: problem, kind: kind, remedy: remedy, journey: journey, realm: "", property: property))
  }

  private mutating func script(
    _ id: String, _ value: JSONValue, _ files: JourneyFileReferences?
  ) throws(JourneyFileReferences.Refusal) -> JourneyScript {
    guard let object = value.objectValue else { throw .init("is not an object") }
    func text(_ name: String, _ standard: String) -> String { object[name]?.stringValue ?? standard }
    return JourneyScript(
      id: id, name: text("name", id), source: try source(of: object["script"], files),
      language: text("language", "JAVASCRIPT"),
      context: text("context", "AUTHENTICATION_TREE_DECISION_NODE"),
      evaluatorVersion: text("evaluatorVersion", "1.0"))
  }

  mutating func source(
    of value: JSONValue?, _ files: JourneyFileReferences?
  ) throws(JourneyFileReferences.Refusal) -> String {
    switch value {
    case .string(let text):
      guard text.hasPrefix("file://") else { return Self.decoded(text) }
      references += 1
      guard references <= Self.maximumReferences else {
        throw .init("the journey refers to more than \(Self.maximumReferences) files")
      }
      let name = String(text.dropFirst("file://".count))
      guard let files else {
        throw .init("refers to the file \(name.quoted), which is not beside the export")
      }
      guard let text = String(validating: try files.bytes(name), as: UTF8.self) else {
        throw .init("the file \(name.quoted) is not text in UTF-8")
      }
      return text
    case .array(let lines):
      var texts: [String] = []
      for line in lines {
        guard let line = line.stringValue else { throw .init("has a line that is not text") }
        texts.append(line)
      }
      return texts.joined(separator: "\n")
    case nil, .null: throw .init("has no text; export the journey with its scripts")
    default: throw .init("its text must be Base64, text, or a list of lines")
    }
  }

  /// Decodes Base64, as PingAM's interface has it, or a JSON string within the string; returns any other text unchanged.
  private static func decoded(_ text: String) -> String {
    if text.hasPrefix("\""), let inner = try? JSONValue(parsing: Array(text.utf8)),
      let plain = inner.stringValue
    {
      return plain
    }
    let compact = text.filter { !$0.isNewline }
    if !compact.isEmpty, let bytes = PaddedBase64.decode(compact),
      let plain = String(validating: bytes, as: UTF8.self)
    {
      return plain
    }
    return text
  }
}

extension AttachmentReading {
  /// The designed node types under `nodeTypes`, by ``DesignedNodeType/serviceName``.
  ///
  /// A type that cannot be read is included with its problem, so that only the nodes that use it fail.
  static func nodeTypes(
    of document: JSONObject, source: String, references: JourneyFileReferences?
  ) -> [String: DesignedNodeType] {
    guard let section = document["nodeTypes"]?.objectValue else { return [:] }
    var reading = AttachmentReading(journey: "", document: [:], references: nil)
    var types: [String: DesignedNodeType] = [:]
    for (name, value) in section {
      guard let object = value.objectValue else { continue }
      let type = DesignedNodeType(
        object, name: name, script: reading.script(of: object, source: source, references))
      types[type.serviceName] = types[type.serviceName] ?? type
    }
    return types
  }

  private mutating func script(
    of type: JSONObject, source: String, _ references: JourneyFileReferences?
  ) -> Result<(text: String, file: String), DesignedNodeType.Problem> {
    let value = type["script"]
    do throws(JourneyFileReferences.Refusal) {
      let text = try self.source(of: value, references)
      let scheme = "file://"
      let beside = value?.stringValue.flatMap {
        $0.hasPrefix(scheme) ? String($0.dropFirst(scheme.count)) : nil
      }
      return .success((text, beside ?? source))
    } catch {
      return .failure(DesignedNodeType.Problem(text: "its script \(error.reason) (\(source))"))
    }
  }
}
