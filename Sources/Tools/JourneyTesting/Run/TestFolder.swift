package import Foundation

/// The folder for the data of servers and devices in this process.
package enum TestFolder {
  /// Creates a folder while `body` runs.
  package static func with<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "sealring-journey-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }
}
