internal import Foundation

/// The folder in which a test's servers and devices keep what they have.
enum TestFolder {
  /// Makes one for the time of `body`.
  static func with<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "sealring-journey-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }

  /// Brings journeys into the form that servers read, `<realm>/*.journey.json`.
  ///
  /// - Parameter source: such a folder, or one with exports of any name, or one export.
  /// - Returns: the folder to give to a server.
  static func layOut(_ source: URL, realm: String, in folder: URL) throws -> URL {
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
      try name(in: place)
    }
    return target
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
