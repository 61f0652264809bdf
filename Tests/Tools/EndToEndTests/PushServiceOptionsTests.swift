import CommonFixtures
import Crypto
import Foundation
import Testing

/// `sealring serve` with push services.
@Suite(.timeLimit(.minutes(2))) struct PushServiceOptionsTests {
  private static let contact = ["--webpush-contact", "mailto:push@example.com"]

  private func serve(_ arguments: [String], in folder: URL) async throws -> CommandLineTool.Result {
    let data = folder.appending(path: "server").path(percentEncoded: false)
    return try await CommandLineTool(home: folder).run(["serve", "--port", "0", "--data", data] + arguments)
  }

  private static func apns(_ key: String, id: String = "ABC1234567", team: String = "TEAM123456") -> [String]
  {
    [
      "--apns-key", key, "--apns-key-id", id, "--apns-team-id", team, "--apns-topic", "com.example.signer",
    ]
  }

  @Test func `a key for APNs that cannot be used is an error that says what to do`() async throws {
    try await withTemporaryFolder { folder in
      func file(_ name: String, _ text: String) throws -> String {
        let url = folder.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url.path(percentEncoded: false)
      }
      let missing = folder.appending(path: "AuthKey_missing.p8").path(percentEncoded: false)
      let good = try file("AuthKey_good.p8", P256.Signing.PrivateKey().pemRepresentation)
      let other = try file("AuthKey_other.p8", P384.Signing.PrivateKey().pemRepresentation)
      for (arguments, said) in [
        (Self.apns(missing), "AuthKey_missing.p8"),
        (Self.apns(good, id: "ABC123"), "key id for APNs must have 10 letters and digits"),
        (Self.apns(good, team: "TEAM-12345"), "team id for APNs must have 10 letters and digits"),
        (Self.apns(other), "Use the file AuthKey_….p8 from the developer account"),
      ] {
        let result = try await serve(arguments, in: folder)
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("Error: ") && result.errors.contains(said), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1 && !result.errors.contains("PRIVATE KEY"))
      }
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "server").path))
    }
  }

  @Test func `a key for Web Push that cannot be used is an error that changes nothing`() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "notes.txt")
      try Data("no key".utf8).write(to: file)
      let path = file.path(percentEncoded: false)
      let nowhere = folder.appending(path: "none/vapid.pem").path(percentEncoded: false)
      let good = folder.appending(path: "vapid.pem").path(percentEncoded: false)
      try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: URL(filePath: good))
      for (arguments, said) in [
        (["--webpush-key", path] + Self.contact, "notes.txt is not a P-256 private key in PEM"),
        (["--webpush-key", nowhere] + Self.contact, "Name a file in an existing folder"),
        (["--webpush-key", good, "--webpush-contact", "me"], "mailto:you@example.com"),
      ] {
        let result = try await serve(arguments, in: folder)
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.contains(said), "\(result.errors)")
      }
      #expect(try Data(contentsOf: file) == Data("no key".utf8))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "notes.txt", "vapid.pem",
        ])
    }
  }

  @Test func `a key for Web Push is made once, for its owner alone, and its public half is shown`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "vapid.pem")
      let apple = folder.appending(path: "AuthKey.p8")
      try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: apple)
      var shown: Set<String> = []
      for _ in 1...2 {
        let server = try await ServerProcess.start(
          data: folder.appending(path: "server"),
          arguments: ["--webpush-key", file.path(percentEncoded: false)] + Self.contact
            + Self.apns(apple.path(percentEncoded: false)))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let end = await server.stop()
        #expect(end.status == 0 && end.output.split(separator: "\n").count == 1)
        #expect(!end.errors.contains("PRIVATE KEY"))
        let match = try #require(end.errors.firstMatch(of: /subscribers need the key ([A-Za-z0-9_-]{87})\n/))
        shown.insert(String(match.1))
      }
      let key = try P256.Signing.PrivateKey(pemRepresentation: String(contentsOf: file, encoding: .utf8))
      #expect(shown == [base64URL(key.publicKey.x963Representation)])
    }
  }

  private func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
