package import Foundation

/// A folder of a test's own, which is removed with the object.
package final class TemporaryFolder: Sendable {
  package let url: URL

  /// Names a folder that does not exist yet.
  package init() {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("sealring-test-\(UUID().uuidString)", isDirectory: true)
  }

  /// Creates a folder.
  package static func make() throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    // Private, because a folder in a shared place that others may read is refused as a home.
    try FileManager.default.createDirectory(
      at: folder.url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// All names, hidden ones too.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }

  /// Writes a file and creates the folders that lead to it.
  package func write(_ bytes: [UInt8], to path: String) throws {
    let file = file(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }
}

/// Runs `body` with a new folder, and removes the folder afterwards.
package func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = try TemporaryFolder.make()
  defer { withExtendedLifetime(folder) {} }
  return try body(folder.url)
}

/// Runs `body` with a new folder, and removes the folder afterwards.
package func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = try TemporaryFolder.make()
  defer { withExtendedLifetime(folder) {} }
  return try await body(folder.url)
}

/// The permission bits of the file or folder at `url`.
package func mode(of url: URL) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
  return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
}
