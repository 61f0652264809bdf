public import Foundation

/// Journeys on disk, in the forms in which people have them.
public enum JourneyLayout {
  /// Brings journeys into the form that servers read, `<realm>/*.journey.json`.
  ///
  /// - Parameter source: such a folder, or one with exports of any name, or one export.
  /// - Returns: the folder to give to a server.
  /// - Throws: when there is nothing, or it cannot be read.
  public static func layOut(_ source: URL, realm: String, in folder: URL) throws -> URL {
    let files = FileManager.default
    var isDirectory: ObjCBool = false
    guard files.fileExists(atPath: source.path, isDirectory: &isDirectory) else {
      throw ScriptFailure("there are no journeys at \(source.path): check `journeys`")
    }
    let target = folder.appending(path: "journeys")
    if isDirectory.boolValue {
      let realms = try files.contentsOfDirectory(at: source, includingPropertiesForKeys: [.isDirectoryKey])
      let isLaidOut = realms.contains {
        $0.lastPathComponent == realm
          && (try? $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
      }
      if isLaidOut { return source }
      try files.copyItem(at: source, to: try made(target).appending(path: realm))
      try name(in: target.appending(path: realm))
    } else {
      let place = try made(target.appending(path: realm))
      try files.copyItem(at: source, to: place.appending(path: source.lastPathComponent))
      try copyAttachments(of: source, to: place)
      try name(in: place)
    }
    return target
  }

  /// Copies the files beside a single export that it refers to by `file://`.
  private static func copyAttachments(of source: URL, to place: URL) throws {
    let text = try String(contentsOf: source, encoding: .utf8)
    for match in text.matches(of: /"file:\/\/([^"\\]+)"/) {
      let name = String(match.output.1)
      let file = source.deletingLastPathComponent().appending(path: name)
      let target = place.appending(path: name)
      // What is missing, or elsewhere, the server says.
      guard !name.split(separator: "/").contains(".."), !FileManager.default.fileExists(atPath: target.path),
        FileManager.default.fileExists(atPath: file.path)
      else { continue }
      _ = try made(target.deletingLastPathComponent())
      try FileManager.default.copyItem(at: file, to: target)
    }
  }

  private static func made(_ folder: URL) throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Gives exports the names that servers look for; scripts and other files beside them stay as they are.
  private static func name(in folder: URL) throws {
    let suffix = ".journey.json"
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    where file.pathExtension == "json" && !file.lastPathComponent.hasSuffix(suffix) {
      let name = file.deletingPathExtension().lastPathComponent
      try FileManager.default.moveItem(at: file, to: folder.appending(path: name + suffix))
    }
  }
}
