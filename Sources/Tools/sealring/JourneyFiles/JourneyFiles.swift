internal import BindingFormats
internal import Bytes
import Foundation
import JourneyEngine
import JourneyFiles
import JourneyGraphs
internal import PrivateFiles
import StrictJSON

/// Reads journey files for commands.
enum JourneyFiles {
  /// Longest file that is read, in bytes. The loader's own limit is lower, and its error says what to do.
  private static let longest = 128 << 20

  static func file(_ path: String) throws -> JourneyCatalog.File {
    JourneyCatalog.File(
      try GivenFile.bytes(path, limit: longest), source: path,
      references: JourneyFolder.references(beside: URL(filePath: path)))
  }

  /// Journeys that belong together: those of one realm, or those outside realms' folders.
  typealias Group = (realm: String?, files: [JourneyCatalog.File])

  /// Reads files, and exports in folders of any layout. Journeys outside realms' folders come first.
  static func groups(_ paths: [String]) throws -> [Group] {
    var byRealm: [String?: [JourneyCatalog.File]] = [:]
    for path in paths {
      guard JourneyFolder.isDirectory(URL(filePath: path)) else {
        byRealm[nil, default: []].append(try file(path))
        continue
      }
      let found = try ExportFolder.exports(in: URL(filePath: path))
      guard !found.isEmpty else {
        throw CommandFailure.invalid(
          "\(printable(path)) has no exported journeys. Name files, or a folder of exports (*.json) or of journeys with a file for "
            + "each node."
        )
      }
      for export in found { byRealm[export.realm, default: []].append(export.file) }
    }
    return byRealm.sorted { ($0.key ?? "") < ($1.key ?? "") }.map { ($0.key, $0.value) }
  }

  /// The journey files of a realm in a server's journey folder; empty when the realm has no folder.
  static func files(inFolder folder: String, realm: String) throws -> [JourneyCatalog.File] {
    let place = try folderURL(folder, realm: realm)
    guard JourneyFolder.isDirectory(place) else { return [] }
    let found = try JourneyFolder.files(inRealm: place)
    return found.files + found.unreadable.map { JourneyCatalog.File(source: $0.path, unreadable: $0.reason) }
  }

  /// The policies beside the journeys of a realm, by name.
  static func policies(inFolder folder: String, realm: String) throws -> [String: JSONObject] {
    let place = try folderURL(folder, realm: realm)
    guard JourneyFolder.isDirectory(place) else { return [:] }
    return try PolicyFolder.documents(in: PolicyFolder.files(in: place))
  }

  /// The realm's folder.
  static func folderURL(_ folder: String, realm: String) throws -> URL {
    let path = RealmPath(realm)
    // Realms' names have no dots, and what stands in place of a slash must not be one.
    guard !realm.isEmpty, !path.name.contains("."), !path.name.contains("\0") else {
      throw CommandFailure.invalid("\(realm.debugDescription) is not the name of a realm.")
    }
    return JourneyFolder.folder(of: path.name, in: URL(filePath: folder))
  }

  /// Creates a folder and its parents.
  static func makeFolder(_ folder: URL, named name: URL) throws {
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw CommandFailure(
        "\(printable(name.path)) cannot be made: \(PlainReason.of(error))", code: PlainReason.code(of: error))
    }
  }

  /// The name of a journey's file in a folder.
  static func fileName(of journey: String) -> String {
    PrivateFiles.fileName(for: journey) + JourneyFolder.suffix
  }
}

/// A journey named in a command: `FILE`, `FILE#NAME` for a file with several journeys, or the name of a journey in a folder or of a
/// bundled one.
struct NamedJourney {
  let name: String

  /// The document with all its scripts and node types, because a copy has no files beside it.
  let portable: JSONObject

  /// Scripts as text, wherever they are stored.
  let attachments: JourneyAttachments

  /// The designed node types that the journey uses, from any of the files.
  let nodeTypes: [DesignedNodeType]

  /// The full contents; `nil` when the file has no tree.
  let contents: JourneyContents?
}

extension NamedJourney {
  /// - Parameter folder: a server's journey folder; `nil` for the bundled journeys.
  init(_ text: String, folder: String?, realm: String) throws {
    var (path, wanted) = (text, String?.none)
    if !FileManager.default.fileExists(atPath: path), let mark = text.lastIndex(of: "#") {
      (path, wanted) = (String(text[..<mark]), String(text[text.index(after: mark)...]))
    }
    let isFile = FileManager.default.fileExists(atPath: path)
    let file = isFile ? try JourneyFiles.file(path) : nil
    let others = try folder.map { try JourneyFiles.files(inFolder: $0, realm: realm) } ?? []
    let policies = try folder.map { try JourneyFiles.policies(inFolder: $0, realm: realm) } ?? [:]
    if let file {
      self = try Self.find(wanted, in: [file], beside: others, of: path, realm: realm, policies: policies)
    } else if let folder {
      self = try Self.find(text, in: others, of: folder, realm: realm, policies: policies)
    } else if text.contains("/") || text.hasSuffix(".json") {
      throw GivenFile.unreadable(text, "it does not exist.", code: .notFound)
    } else {
      self = try Self.find(text, in: JourneyFileCheck.bundled, of: "the bundled journeys", realm: realm)
    }
  }

  /// - Parameters:
  ///   - wanted: the journey's name; `nil` for the only journey.
  ///   - others: files with the inner journeys, node types and scripts that the journey may use.
  private static func find(
    _ wanted: String?, in files: [JourneyCatalog.File], beside others: [JourneyCatalog.File] = [],
    of place: String, realm: String,
    policies: [String: JSONObject] = [:]
  ) throws -> NamedJourney {
    var (catalog, loaded) = try JourneyFileCheck.examine(files, realm: realm)
    let names = loaded.flatMap(\.journeys)
    if !others.isEmpty {
      let known = Set(names)
      let beside = try JourneyFileCheck.examine(others, realm: realm).files
      let added = zip(others, beside).filter { known.isDisjoint(with: $0.1.journeys) }.map(\.0)
      (catalog, loaded) = try JourneyFileCheck.examine(files + added, realm: realm)
      loaded = Array(loaded.prefix(files.count))
    }
    let only = names.count == 1 ? names[0] : nil
    let name: String
    if let known = wanted ?? only {
      name = known
    } else if let fault = loaded.first(where: { $0.journeys.isEmpty })?.faults.first {
      throw CommandFailure.invalid(sentence(printable("\(fault)")))
    } else {
      throw CommandFailure.usage(
        "\(printable(place)) has several journeys. Name one: \(names.map { printable("\(place)#\($0)") }.joined(separator: ", "))."
      )
    }
    guard names.contains(name), let portable = catalog.portableDocument(journey: name, realm: realm)
    else {
      throw CommandFailure.notFound(
        "There is no journey \(name.debugDescription) in \(printable(place)). There are: "
          + "\(printable(names.sorted().joined(separator: ", ")))."
      )
    }
    return NamedJourney(
      name: name, portable: portable,
      attachments: catalog.attachments(journey: name, realm: realm) ?? JourneyAttachments(),
      nodeTypes: catalog.nodeTypes(journey: name, realm: realm),
      contents: catalog.contents(realm: realm, policies: policies)[name])
  }
}
