package import Foundation
import SoftwareTPM

/// A certification authority of one test's own.
package struct TestAuthority: Sendable {
  private let folder: URL

  /// Makes one in a new folder, which the caller removes.
  package init(in folder: URL) async throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await Self.request(
      ["-subj", "/CN=An authority of a test"], key: "ca.key", certificate: "ca.crt", folder)
  }

  /// The file that clients trust.
  package var root: String { folder.appendingPathComponent("ca.crt").path }

  /// A certificate for the host `name`, and its key.
  package func identity(for name: String) async throws -> Identity {
    let (key, certificate) = ("\(name).key", "\(name).crt")
    try await Self.request(
      [
        "-CA", root, "-CAkey", folder.appendingPathComponent("ca.key").path, "-subj", "/CN=\(name)",
        "-addext",
        "subjectAltName=DNS:\(name)", "-addext", "basicConstraints=critical,CA:FALSE",
      ], key: key, certificate: certificate, folder)
    return Identity(
      key: folder.appendingPathComponent(key), certificate: folder.appendingPathComponent(certificate))
  }

  package struct Identity: Sendable {
    fileprivate let key: URL
    fileprivate let certificate: URL

    /// Copies it to where PostgreSQL may read it.
    func install(in folder: URL) throws -> (key: String, certificate: String) {
      let files = FileManager.default
      let places = [(key, "server.key"), (certificate, "server.crt")].map { file, name in
        (from: file, to: folder.appendingPathComponent(name))
      }
      for place in places {
        try files.copyItem(at: place.from, to: place.to)
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.to.path)
        try PostgresFolder.give(place.to)
      }
      return (places[0].to.path, places[1].to.path)
    }
  }

  private static func request(
    _ options: [String], key: String, certificate: String, _ folder: URL
  ) async throws {
    let made = try await ChildProcess.start(
      Program.path(of: "openssl", package: "openssl"),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
        "-keyout", folder.appendingPathComponent(key).path, "-out",
        folder.appendingPathComponent(certificate).path,
      ] + options, output: folder.appendingPathComponent("openssl.log"))
    guard await made.end() == 0 else {
      throw PostgresFixtureError("openssl failed: \(PostgresFolder.output(of: "openssl", in: folder))")
    }
  }
}
