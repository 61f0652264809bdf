package import Foundation
package import JourneyEngine
internal import StrictJSON

/// Exported journeys in a folder of any layout: realms' folders, one journey to a file or several, folders in which each node has a file.
package enum ExportFolder {
  /// An export, and the realm whose folder it is in; `nil` when no folder is named after a realm.
  package struct Export {
    package let file: JourneyCatalog.File
    package let realm: String?
  }

  /// Deepest folder, and most files that are looked at.
  private static let maximumDepth = 8
  private static let maximumFiles = 20_000

  private static let realms: Set = ["root", "alpha", "bravo"]

  /// Returns the exports, by path. Skips hidden files, and everything that links lead to outside the folder.
  ///
  /// - Throws: ``ServerSetupError`` when the folder cannot be read.
  package static func exports(in folder: URL) throws -> [Export] {
    if NodeFileFolder.isJourney(folder) {
      return [Export(file: NodeFileFolder.journey(folder), realm: nil)]
    }
    let root = folder.absoluteURL.standardizedFileURL.resolvingSymlinksInPath()
    var found: [Export] = []
    var looked = 0
    var seen: Set<String> = []
    var open: [(folder: URL, depth: Int, realm: String?)] = [(folder, 0, nil)]
    while let (place, depth, realm) = open.popLast() {
      let path = place.absoluteURL.standardizedFileURL.resolvingSymlinksInPath().path
      guard path == root.path || path.hasPrefix(root.path + "/"), seen.insert(path).inserted else { continue }
      let journeys = NodeFileFolder.folders(inRealm: place)
      found += NodeFileFolder.journeys(inRealm: place).map { Export(file: $0, realm: realm) }
      let taken = Set(journeys.map(\.path))
      for entry in depth == 0
        ? try JourneyFolder.contents(of: place) : (try? JourneyFolder.contents(of: place)) ?? []
      {
        if JourneyFolder.isDirectory(entry) {
          guard depth < maximumDepth, !taken.contains(entry.path) else { continue }
          // The journeys in this folder have been found already.
          let name = entry.lastPathComponent
          if name == "journeys",
            journeys.contains(where: { $0.deletingLastPathComponent().lastPathComponent == name })
          {
            continue
          }
          let isRealm = realms.contains(name) || place.lastPathComponent == "realms"
          open.append((entry, depth + 1, isRealm ? name : realm))
        } else if entry.pathExtension == "json", looked < maximumFiles {
          looked += 1
          if let file = export(entry, root: root) { found.append(Export(file: file, realm: realm)) }
        }
      }
    }
    return found.sorted { $0.file.source < $1.file.source }
  }

  /// Reads an export; `nil` when the file is not one.
  private static func export(_ file: URL, root: URL) -> JourneyCatalog.File? {
    let path = file.absoluteURL.standardizedFileURL.resolvingSymlinksInPath().path
    let isNamed = JourneyFolder.isJourneyFile(file) || JourneyFolder.isNodeTypesFile(file)
    guard path.hasPrefix(root.path + "/"), !file.lastPathComponent.hasSuffix(PolicyFolder.suffix) else {
      return nil
    }
    do {
      let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      guard type == .typeRegular else { return nil }
      let bytes = try JourneyFolder.bytes(of: file)
      guard isNamed || looksLikeExport(bytes) else { return nil }
      return JourneyCatalog.File(bytes, source: file.path, references: JourneyFolder.references(beside: file))
    } catch {
      // A file that is too long may be the export of a whole tenant.
      return JourneyCatalog.File(source: file.path, unreadable: JourneyFolder.reason(error))
    }
  }

  /// Whether the file has a tree, or several. A damaged file counts, too, so that its damage is reported.
  private static func looksLikeExport(_ bytes: [UInt8]) -> Bool {
    let data = Data(bytes)
    guard ["\"tree\"", "\"trees\""].contains(where: { data.range(of: Data($0.utf8)) != nil }) else {
      return false
    }
    guard
      let object = try? JSONValue(
        parsing: bytes, limits: JSONLimits(maximumBytes: JourneyFolder.maximumFileBytes, maximumDepth: 64))
    else { return true }
    return object["tree"]?.objectValue != nil || object["trees"]?.objectValue != nil
  }
}
