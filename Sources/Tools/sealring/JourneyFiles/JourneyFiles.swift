internal import Bytes
import Foundation
import JourneyEngine
import JourneyServer
internal import PrivateFiles
import StrictJSON

/// Journey files as commands read them.
enum JourneyFiles {
  /// Longer files are not read, be they journeys or not. The loader's own limit is lower, and says what to do.
  private static let longest = 64 << 20

  static func file(_ path: String) throws -> JourneyCatalog.File {
    JourneyCatalog.File(
      try GivenFile.bytes(path, limit: longest), source: path,
      references: JourneyFolder.references(beside: URL(filePath: path)))
  }

  /// Files, and the journey files of folders.
  static func files(_ paths: [String]) throws -> [JourneyCatalog.File] {
    var files: [JourneyCatalog.File] = []
    for path in paths {
      guard JourneyFolder.isDirectory(URL(filePath: path)) else {
        files.append(try file(path))
        continue
      }
      let found = try JourneyFolder.contents(of: URL(filePath: path)).filter(isRead)
      guard !found.isEmpty else {
        throw CommandFailure(
          "\(printable(path)) has no files *\(JourneyFolder.suffix). Name a realm's folder, or files.",
          code: .invalid)
      }
      files += try found.map { try file($0.path(percentEncoded: false)) }
    }
    return files
  }

  /// The journey files of a realm, in a folder as given to the server; none when the realm has no folder.
  static func files(inFolder folder: String, realm: String) throws -> [JourneyCatalog.File] {
    let place = try folderURL(folder, realm: realm)
    guard JourneyFolder.isDirectory(place) else { return [] }
    return try JourneyFolder.contents(of: place).filter(isRead)
      .map { try file($0.path(percentEncoded: false)) }
  }

  /// Whether servers read this file of a folder for its journeys.
  private static func isRead(_ file: URL) -> Bool {
    JourneyFolder.isJourneyFile(file) || JourneyFolder.isNodeTypesFile(file)
  }

  /// The realm's folder.
  static func folderURL(_ folder: String, realm: String) throws -> URL {
    guard !realm.isEmpty, !realm.hasPrefix("."), !realm.contains("/"), !realm.contains("\0") else {
      throw CommandFailure("\(realm.debugDescription) is not the name of a realm.", code: .invalid)
    }
    return URL(filePath: folder).appending(path: realm)
  }

  /// The file that a journey gets in a folder.
  static func fileName(of journey: String) -> String {
    PrivateFiles.fileName(for: journey) + JourneyFolder.suffix
  }
}

/// A journey that a command names: `FILE`, `FILE#NAME` for a file with several, or a name in a folder of journeys or among the bundled ones.
struct NamedJourney {
  let name: String
  let document: JSONObject

  /// Scripts as text, wherever the file has them.
  let attachments: JourneyAttachments

  /// The designed node types that it uses, from whatever file.
  let nodeTypes: [DesignedNodeType]

  /// - Parameter folder: as given to the server; `nil` for the bundled journeys.
  init(_ text: String, folder: String?, realm: String) throws {
    var (path, wanted) = (text, String?.none)
    if !FileManager.default.fileExists(atPath: path), let mark = text.lastIndex(of: "#") {
      (path, wanted) = (String(text[..<mark]), String(text[text.index(after: mark)...]))
    }
    if FileManager.default.fileExists(atPath: path) {
      self = try Self.find(wanted, in: [JourneyFiles.file(path)], of: path, realm: realm)
    } else if let folder {
      self = try Self.find(
        text, in: JourneyFiles.files(inFolder: folder, realm: realm), of: folder, realm: realm)
    } else if text.contains("/") || text.hasSuffix(".json") {
      throw GivenFile.unreadable(text, "it does not exist.", code: .notFound)
    } else {
      self = try Self.find(text, in: JourneyFileCheck.bundled, of: "the bundled journeys", realm: realm)
    }
  }

  private init(
    name: String, document: JSONObject, attachments: JourneyAttachments, nodeTypes: [DesignedNodeType]
  ) {
    self.name = name
    self.document = document
    self.attachments = attachments
    self.nodeTypes = nodeTypes
  }

  /// - Parameter wanted: `nil` for the only journey.
  private static func find(
    _ wanted: String?, in files: [JourneyCatalog.File], of place: String, realm: String
  ) throws -> NamedJourney {
    let (catalog, loaded) = try JourneyFileCheck.examine(files, realm: realm)
    let names = loaded.flatMap(\.journeys)
    let name: String
    if let wanted {
      name = wanted
    } else if names.count == 1 {
      name = names[0]
    } else if let fault = loaded.first(where: { $0.journeys.isEmpty })?.faults.first {
      throw CommandFailure(sentence(printable("\(fault)")), code: .invalid)
    } else {
      throw CommandFailure(
        "\(printable(place)) has several journeys. Name one: \(names.map { printable("\(place)#\($0)") }.joined(separator: ", ")).",
        code: .usage)
    }
    guard names.contains(name), let document = catalog.document(journey: name, realm: realm) else {
      throw CommandFailure(
        "There is no journey \(name.debugDescription) in \(printable(place)). There are: \(printable(names.sorted().joined(separator: ", "))).",
        code: .notFound)
    }
    return NamedJourney(
      name: name, document: document,
      attachments: catalog.attachments(journey: name, realm: realm) ?? JourneyAttachments(),
      nodeTypes: catalog.nodeTypes(journey: name, realm: realm))
  }

  /// The document with all scripts and node types in it: a file beside the export is not beside the copy.
  var portable: JSONObject { document.withScripts(of: attachments).withNodeTypes(nodeTypes) }
}

extension JSONObject {
  /// The document of a journey with the scripts that stand in files of their own, as PingAM's interface has them.
  func withScripts(of attachments: JourneyAttachments) -> JSONObject {
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
