internal import Bytes
package import Foundation
package import JourneyEngine
internal import StrictJSON

/// Journeys as `fr-config-manager` writes them: `NAME/NAME.json` has the tree, and each node a file of its own below `NAME/nodes`.
///
/// They stand in a realm's folder, or in its folder `journeys`; scripts are beside them in `scripts`. Each folder is turned back into the
/// export that it was made from. Nothing outside the realm's folder is read, and a file that cannot be read makes only its node fail.
package struct NodeFileFolder {
  /// The realm's folder, without symbolic links.
  private let root: URL
  private let scripts: [String: JSONObject]

  /// Most files of one journey, and most bytes of all; longest file of a node.
  private static let maximumFiles = 20_000
  private static let maximumBytes = JourneyFolder.maximumFileBytes
  private static let maximumNodeBytes = 1 << 20

  private init(root: URL) {
    self.root = root
    scripts = Self.scripts(in: root)
  }

  /// The journeys of a realm's folder that have a folder each.
  package static func journeys(inRealm folder: URL) -> [JourneyCatalog.File] {
    let places = folders(inRealm: folder)
    guard !places.isEmpty else { return [] }
    let reader = NodeFileFolder(root: folder.absoluteURL.standardizedFileURL.resolvingSymlinksInPath())
    return places.map(reader.file)
  }

  /// The folders of these journeys. A folder without its tree is included, so that no bundled journey takes its name.
  package static func folders(inRealm folder: URL) -> [URL] {
    func folders(in place: URL) -> [URL] {
      ((try? JourneyFolder.contents(of: place)) ?? []).filter(JourneyFolder.isDirectory)
    }
    return folders(in: folder).filter { JourneyFolder.isDirectory($0.appending(path: "nodes")) }
      + folders(in: folder.appending(path: "journeys")).filter {
        isJourney($0) || JourneyFolder.isDirectory($0.appending(path: "nodes"))
      }
  }

  /// Whether the folder has the tree of a journey, by its name, and a folder of nodes.
  package static func isJourney(_ folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: treeFile(of: folder).path)
      && (folder.deletingLastPathComponent().lastPathComponent == "journeys"
        || JourneyFolder.isDirectory(folder.appending(path: "nodes")))
  }

  /// The journey of one folder; its scripts are where the realm has them.
  package static func journey(_ folder: URL) -> JourneyCatalog.File {
    let folder = folder.absoluteURL.standardizedFileURL
    var realm = folder.deletingLastPathComponent()
    if realm.lastPathComponent == "journeys" { realm.deleteLastPathComponent() }
    return NodeFileFolder(root: realm.resolvingSymlinksInPath()).file(folder)
  }

  private static func treeFile(of folder: URL) -> URL {
    folder.appending(path: folder.lastPathComponent + ".json")
  }

  /// The export that the folder was made from. If its tree cannot be read, the loader says what is wrong with it.
  private func file(_ folder: URL) -> JourneyCatalog.File {
    let place = Self.treeFile(of: folder)
    let bytes: [UInt8]
    do throws(JourneyFileReferences.Refusal) {
      guard let found = try read(place, limit: Self.maximumBytes) else { throw .init("is missing") }
      bytes = found
    } catch {
      return JourneyCatalog.File(source: place.path, unreadable: error.reason)
    }
    guard
      var export = try? JSONValue(
        parsing: bytes, limits: JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 64)
      ).objectValue
    else {
      return JourneyCatalog.File(bytes, source: place.path)
    }
    if export["tree"] == nil { export = ["tree": .object(export)] }
    let nodes = nodeFiles(of: folder, taken: bytes.count)
    let placed = export["tree"]?["nodes"]?.objectValue ?? JSONObject()
    var sections: [String: JSONObject] = [:]
    for (id, details) in nodes.details {
      sections[placed[id] == nil ? "innerNodes" : "nodes", default: [:]][id] = .object(details)
    }
    for (name, section) in sections {
      var all = export[name]?.objectValue ?? JSONObject()
      all.merge(section)
      export[name] = .object(all)
    }
    if export["scripts"] == nil { export["scripts"] = .object(scripts(for: nodes.details.map(\.value))) }
    var file = JourneyCatalog.File(export.serialized, source: place.path)
    file.damagedNodes = nodes.damaged
    return file
  }

  /// Details by node id, and what is wrong with files.
  private func nodeFiles(
    of folder: URL, taken: Int
  ) -> (details: [(key: String, value: JSONObject)], damaged: [String: String]) {
    var details: [String: JSONObject] = [:]
    var places: [String: String] = [:]
    var damaged: [String: String] = [:]
    var bytesLeft = Self.maximumBytes - taken
    for file in Self.jsonFiles(below: folder.appending(path: "nodes"), root: root) {
      let name = String(file.path.dropFirst(folder.path.count + 1))
      var id = Self.id(inName: file)
      do throws(JourneyFileReferences.Refusal) {
        guard let bytes = try read(file, limit: min(Self.maximumNodeBytes, bytesLeft)) else { continue }
        bytesLeft -= bytes.count
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes) } catch {
          throw .init("the file \(name.quoted) is \(error); export the journey again")
        }
        guard let object = value.objectValue else {
          throw .init("the file \(name.quoted) is not a JSON object; export the journey again")
        }
        id = object["_id"]?.stringValue ?? id
        if let other = places[id] {
          throw .init("the files \(other.quoted) and \(name.quoted) both have this node; remove one of them")
        }
        details[id] = object
        places[id] = name
      } catch {
        damaged[id] = error.reason
      }
    }
    for id in damaged.keys { details[id] = nil }
    return (details.sorted { $0.key < $1.key }, damaged)
  }

  /// The id behind the last ` - ` of `TITLE - ID.json`.
  private static func id(inName file: URL) -> String {
    let name = file.deletingPathExtension().lastPathComponent
    return name.range(of: " - ", options: .backwards).map { String(name[$0.upperBound...]) } ?? name
  }

  /// - Returns: `nil` when it is not there.
  private func read(_ file: URL, limit: Int) throws(JourneyFileReferences.Refusal) -> [UInt8]? {
    try Self.read(file, root: root, limit: limit)
  }

  private static func read(
    _ file: URL, root: URL, limit: Int
  ) throws(JourneyFileReferences.Refusal) -> [UInt8]? {
    let path = file.absoluteURL.standardizedFileURL.resolvingSymlinksInPath().path
    guard path.hasPrefix(root.path + "/") else {
      throw .init("the file \(file.lastPathComponent.quoted) leads out of the realm's folder")
    }
    return try JourneyFolder.file(named: String(path.dropFirst(root.path.count + 1)), in: root, limit: limit)
  }

  /// The JSON files below `folder`, by path. Folders behind links that lead out of `root` are left out.
  private static func jsonFiles(below folder: URL, root: URL) -> [URL] {
    var files: [URL] = []
    var folders = [folder]
    var seen: Set<String> = []
    while let next = folders.popLast(), files.count < maximumFiles {
      // A link to a parent folder would lead in circles without end.
      let path = next.absoluteURL.standardizedFileURL.resolvingSymlinksInPath().path
      guard path.hasPrefix(root.path + "/"), seen.insert(path).inserted, seen.count <= maximumFiles else {
        continue
      }
      for entry in (try? JourneyFolder.contents(of: next)) ?? [] {
        if JourneyFolder.isDirectory(entry) {
          folders.append(entry)
        } else if entry.pathExtension == "json", files.count < maximumFiles {
          files.append(entry)
        }
      }
    }
    return files.sorted { $0.path < $1.path }
  }

  // MARK: Scripts

  /// The realm's scripts by id: the entries of `scripts/scripts-config`, with the scripts' text.
  private static func scripts(in root: URL) -> [String: JSONObject] {
    let folder = root.appending(path: "scripts")
    var scripts: [String: JSONObject] = [:]
    var bytesLeft = maximumBytes
    for file in jsonFiles(below: folder.appending(path: "scripts-config"), root: root) {
      guard let bytes = try? read(file, root: root, limit: min(maximumNodeBytes, bytesLeft)),
        var script = try? JSONValue(parsing: bytes).objectValue
      else { continue }
      bytesLeft -= bytes.count
      if let name = script["script"]?["file"]?.stringValue {
        let found = text(
          name, in: folder, root: root, limit: min(JourneyFileReferences.maximumBytes, bytesLeft))
        bytesLeft -= found?.count ?? 0
        // Without the text, the loader says which file is missing.
        script["script"] = .string(found.map { PaddedBase64.encode($0) } ?? "file://\(name)")
      }
      scripts[script["_id"]?.stringValue ?? id(inName: file)] = script
    }
    return scripts
  }

  /// The text of a script's file. Tools differ in the folder at which the path begins.
  private static func text(_ name: String, in folder: URL, root: URL, limit: Int) -> [UInt8]? {
    guard !name.isEmpty, !name.hasPrefix("/") else { return nil }
    for place in [
      folder, folder.appending(path: "scripts-content"), folder.appending(path: "scripts-config"),
    ] {
      if let bytes = try? read(place.appending(path: name), root: root, limit: limit) { return bytes }
    }
    return nil
  }

  /// The scripts that nodes name, and all libraries.
  private func scripts(for nodes: [JSONObject]) -> JSONObject {
    let named = Set(nodes.compactMap { $0["script"]?.stringValue })
    let wanted = scripts.filter { named.contains($0.key) || $0.value["context"]?.stringValue == "LIBRARY" }
    return JSONObject(wanted.sorted { $0.key < $1.key }.map { ($0.key, .object($0.value)) })
  }
}
