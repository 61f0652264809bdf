internal import Bytes
import Foundation
import JourneyEngine
internal import PrivateFiles
import StrictJSON

/// Exports journeys as files for version control: the same journey always gives the same bytes.
enum JourneyExport {
  /// Writes one member per line, in the order of names. Values of node properties keep their order: of texts in several languages, the
  /// first one is the fallback.
  static func bytes(_ document: JSONObject) -> [UInt8] {
    let whole =
      if let trees = document["trees"]?.objectValue {
        JSONObject([("trees", .object(trees.sortedMembers { .object(ordered($0.objectValue ?? [:])) }))])
      } else { ordered(document) }
    return Array((JSONValue.object(whole).indentedText + "\n").utf8)
  }

  private static func ordered(_ document: JSONObject) -> JSONObject {
    var ordered = document.sortedMembers { section in
      guard let members = section.objectValue else { return section }
      return .object(members.sortedMembers { $0.objectValue.map { .object($0.sortedMembers()) } ?? $0 })
    }
    ordered["tree"] = document["tree"]?.sorted
    return ordered
  }

  /// Writes `NAME.journey.json` into the folder, and scripts as text files into `NAME.scripts` beside it.
  static func write(_ journey: NamedJourney, into folder: URL, replaces: Bool) throws {
    var document = journey.portable
    let scripts = "\(fileName(for: journey.name)).scripts"
    var files: [(name: String, text: String)] = []
    func refer(_ section: String, _ source: (String, JSONObject) -> (name: String, text: String)?) {
      guard var members = document[section]?.objectValue else { return }
      for (id, value) in members {
        guard var script = value.objectValue, let (name, text) = source(id, script) else { continue }
        var file = "\(fileName(for: name)).\(script["language"] == "GROOVY" ? "groovy" : "js")"
        // File systems may ignore case.
        if files.contains(where: { $0.name.lowercased() == file.lowercased() }) {
          file = "\(fileName(for: id))-\(file)"
        }
        files.append((file, text))
        script["script"] = .string("file://\(scripts)/\(file)")
        members[id] = .object(script)
      }
      document[section] = .object(members)
    }
    refer("scripts") { id, _ in journey.attachments.scripts[id].map { ($0.name, $0.source) } }
    refer("nodeTypes") { id, type in
      let name = type["serviceName"]?.stringValue ?? id
      return journey.nodeTypes.first { $0.serviceName == name }.map { (name, $0.script.source) }
    }
    let place = folder.appending(path: scripts)
    try JourneyFiles.makeFolder(files.isEmpty ? folder : place, named: folder)
    for (name, text) in files {
      try AtomicFile.write(
        Array(text.utf8), to: place.appending(path: name).path(percentEncoded: false), replaces: replaces)
    }
    try AtomicFile.write(
      bytes(document),
      to: folder.appending(path: JourneyFiles.fileName(of: journey.name)).path(percentEncoded: false),
      replaces: replaces)
  }
}
