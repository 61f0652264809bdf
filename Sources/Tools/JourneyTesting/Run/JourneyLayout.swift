public import Foundation
internal import JourneyEngine
internal import JourneyFiles
internal import StrictJSON

/// Journeys on disk, in any layout.
public enum JourneyLayout {
  /// Copies journeys into the layout that servers read, `<realm>/*.journey.json`.
  ///
  /// - Parameter source: a folder in that layout, a folder with exports of any name or layout, or a single export. Policies
  ///   (`*.authz.json`) beside them are copied, too.
  /// - Returns: the folder to give to a server.
  /// - Throws: when there are no journeys, or they cannot be read.
  public static func layOut(_ source: URL, realm: String, in folder: URL) throws -> URL {
    let files = FileManager.default
    var isDirectory: ObjCBool = false
    guard files.fileExists(atPath: source.path, isDirectory: &isDirectory) else {
      throw ScriptFailure("there are no journeys at \(source.path): check `journeys`")
    }
    let place = JourneyFolder.folder(of: realm, in: folder.appending(path: "journeys"))
    var exports = [source]
    let home = isDirectory.boolValue ? source : source.deletingLastPathComponent()
    let beside = (try? files.contentsOfDirectory(at: home, includingPropertiesForKeys: nil)) ?? []
    if isDirectory.boolValue {
      let entries = try files.contentsOfDirectory(at: source, includingPropertiesForKeys: [.isDirectoryKey])
      let isLaidOut = entries.contains {
        $0.lastPathComponent == place.lastPathComponent
          && (try? $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
      }
      if isLaidOut { return source }
      exports = entries.filter { $0.pathExtension == "json" && !$0.lastPathComponent.hasSuffix(policySuffix) }
    }
    try files.createDirectory(at: place, withIntermediateDirectories: true)
    if isDirectory.boolValue, exports.isEmpty {
      try gather(source, realm: realm, in: place)
      return place.deletingLastPathComponent()
    }
    for policy in beside where policy.lastPathComponent.hasSuffix(policySuffix) {
      try files.copyItem(at: policy, to: place.appending(path: policy.lastPathComponent))
    }
    // A single export needs the node types beside it; in a folder they are among its exports.
    let types = isDirectory.boolValue ? [] : beside.filter { $0.lastPathComponent.hasSuffix(nodeTypesSuffix) }
    for export in exports + types {
      let name = export.lastPathComponent
      let isNamed = name.hasSuffix(suffix) || name.hasSuffix(nodeTypesSuffix)
      let stem = export.deletingPathExtension().lastPathComponent
      try files.copyItem(at: export, to: place.appending(path: isNamed ? name : stem + suffix))
      try copyAttachments(of: export, to: place)
    }
    return place.deletingLastPathComponent()
  }

  /// Collects exports of any other layout, such as folders with a file for each node.
  private static func gather(_ source: URL, realm: String, in place: URL) throws {
    let exports = try ExportFolder.exports(in: source).filter { $0.realm == nil || $0.realm == realm }
    guard !exports.isEmpty else {
      throw ScriptFailure(
        "there are no journeys in \(source.path): neither a folder \(realm) nor exports (*.json)")
    }
    let (catalog, loaded) = try JourneyFileCheck.examine(exports.map(\.file), realm: realm)
    if let fault = loaded.lazy.flatMap(\.faults).first { throw ScriptFailure("\(fault)") }
    for (number, name) in loaded.flatMap(\.loaded).enumerated() {
      guard let document = catalog.portableDocument(journey: name, realm: realm) else { continue }
      try Data(document.serialized).write(to: place.appending(path: "\(number)\(suffix)"))
    }
  }

  /// The suffix by which servers find journeys.
  private static let suffix = ".journey.json"

  /// The suffix by which servers find the designer's node types.
  private static let nodeTypesSuffix = ".nodeTypes.json"

  /// The suffix by which servers find policies.
  private static let policySuffix = ".authz.json"

  /// Copies the files that an export references by `file://`.
  private static func copyAttachments(of source: URL, to place: URL) throws {
    let text = try String(contentsOf: source, encoding: .utf8)
    for match in text.matches(of: /"file:\/\/([^"\\]+)"/) {
      let name = String(match.output.1)
      let file = source.deletingLastPathComponent().appending(path: name)
      let target = place.appending(path: name)
      // The server reports files that are missing or elsewhere.
      guard !name.split(separator: "/").contains(".."), !FileManager.default.fileExists(atPath: target.path),
        FileManager.default.fileExists(atPath: file.path)
      else { continue }
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: file, to: target)
    }
  }
}
