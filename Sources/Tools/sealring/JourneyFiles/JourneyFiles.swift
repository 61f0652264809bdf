internal import BindingFormats
internal import Bytes
import Foundation
import JourneyEngine
import JourneyFiles
import JourneyGraphs
internal import PrivateFiles
import StrictJSON

/// Journey files as commands read them.
enum JourneyFiles {
  /// Longer files are not read, be they journeys or not. The loader's own limit is lower, and says what to do.
  private static let longest = 128 << 20

  static func file(_ path: String) throws -> JourneyCatalog.File {
    JourneyCatalog.File(
      try GivenFile.bytes(path, limit: longest), source: path,
      references: JourneyFolder.references(beside: URL(filePath: path)))
  }

  /// Journeys that belong together: those of a realm, or those of which no folder's name says one.
  typealias Group = (realm: String?, files: [JourneyCatalog.File])

  /// Files, and the exports in folders of any layout; what is in no realm's folder comes first.
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

  /// The journey files of a realm, in a folder as given to the server; none when the realm has no folder.
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

  /// Makes a folder, and those above it.
  static func makeFolder(_ folder: URL, named name: URL) throws {
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw CommandFailure(
        "\(printable(name.path)) cannot be made: \(PlainReason.of(error))", code: PlainReason.code(of: error))
    }
  }

  /// The file that a journey gets in a folder.
  static func fileName(of journey: String) -> String {
    PrivateFiles.fileName(for: journey) + JourneyFolder.suffix
  }
}

/// A journey that a command names: `FILE`, `FILE#NAME` for a file with several, or a name in a folder of journeys or among the bundled
/// ones.
struct NamedJourney {
  let name: String

  /// The document with all scripts and node types in it: a file beside the export is not beside the copy.
  let portable: JSONObject

  /// Scripts as text, wherever the file has them.
  let attachments: JourneyAttachments

  /// The designed node types that it uses, from whatever file.
  let nodeTypes: [DesignedNodeType]

  /// All that it is; `nil` when the file has no tree.
  let contents: JourneyContents?
}

extension NamedJourney {
  /// - Parameter folder: as given to the server; `nil` for the bundled journeys.
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
  ///   - wanted: `nil` for the only journey.
  ///   - others: files that have what the journey runs inside, names or shares.
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
