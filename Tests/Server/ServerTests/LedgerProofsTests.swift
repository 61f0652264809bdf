import Assembly
import BindingFormats
import Bytes
import CommonFixtures
import Concurrency
import Crypto
import EvidenceLedger
import Foundation
import HTTPTypes
import JourneyStore
import PasswordHashing
import PushServiceFixtures
import StrictJSON
import Testing

@testable import ServerHTTP

/// Proofs and exports of the ledger, and the page that checks them.
@Suite("Proofs of the ledger") struct LedgerProofsTests {
  /// Enters a text that somebody has signed.
  private static func sign(_ text: String, _ user: String, _ server: LocalServer, number: UInt8) async throws
  {
    let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"d1"}"#.utf8))
    let claims: JSONValue = ["challenge": .string(text)]
    let record = EvidenceRecord(
      kind: .sign, time: server.clock.now.millisecondsSince1970, realm: "alpha", journey: "Pay", nodeID: "n",
      username: user, userID: user, device: "d1", key: ["kty": "EC"],
      jws: "\(header).\(Base64URL.encode(claims.serialized)).AAAA")
    _ = try await server.store.addEvidence(
      record, once: OnceKey(key: [number], expiry: .distantFuture))
  }

  // MARK: Turns

  /// Making a proof reads the whole ledger: nobody may take all turns.
  @Test func `one asker has one proof at a time, and a line that is too long is refused`() async throws {
    let (gate, arrivals) = (Gate(), AsyncStream.makeStream(of: Void.self))
    let proofs = LedgerProofs(archive: {
      arrivals.continuation.yield()
      await gate.wait()
      throw StoreError.unavailable("the archive was asked")
    })
    func ask(_ asker: String) async -> HTTPResponse.Status? {
      do {
        _ = try await proofs.file(of: 1, for: asker, at: Date(timeIntervalSince1970: 0))
        return nil
      } catch { return (error as? ErrorResponse)?.status ?? .internalServerError }
    }
    await withTaskGroup { group in
      group.addTask { #expect(await ask("ada") == .internalServerError, "it got its turn") }
      for await _ in arrivals.stream { break }
      #expect(await ask("ada") == .tooManyRequests)
      // Others wait behind, as many as there is room for.
      for number in 1..<16 { group.addTask { _ = await ask("other \(number)") } }
      while proofs.waiting.withLock({ $0.count }) < 16 { await Task.yield() }
      #expect(await ask("one more") == .serviceUnavailable)
      gate.open()
      await group.waitForAll()
    }
    #expect(await ask("ada") == .internalServerError, "the turn was given back")
  }

  // MARK: The export

  @Test func `the export of all realms is for those of the root realm who may read evidence`() async throws {
    let folder = try TemporaryFolder.make()
    try await LocalServer.run {
      $0.dataDirectory = folder.url.appending(path: "data")
    } body: { server in
      try await Self.sign("I agree", "ada", server, number: 1)
      let hash = try await PasswordHasher(cost: Argon2Cost(memoryKiB: 8, iterations: 1)).hash(
        "guard-password")
      for realm in ["root", "alpha"] {
        try await server.store.createUser(
          UserRecord(
            realm: realm, username: "guard", passwordHash: hash, createdAt: server.clock.now,
            roles: [.auditor]))
      }
      let path = "\(LocalServer.root)/audit/export"
      let own = try await server.signIn("guard", realm: LocalServer.root)
      let answer = try await PageReader(server, token: own).get(path)
      #expect(answer.status == 200)
      var maker = EvidenceProofMaker(.checkpoint(since: nil))
      try maker.take(Array(answer.html.utf8))
      guard case .checkpoint(let made) = try maker.finish() else { throw StoreError.corrupt("no checkpoint") }
      #expect(made.checkpoint.count == 1)

      #expect(try await server.call(.get, path).status == 401)
      let ada = try await server.signIn("ada")
      #expect(try await server.call(.get, path, token: ada).status == 403)
      let realms = try await server.signIn("guard")
      #expect(try await server.call(.get, path, token: realms).status == 403)
      // Not even of one's own realm: the file has all of them.
      let inRealm = try await server.call(.get, "\(LocalServer.alpha)/audit/export", token: realms)
      #expect(inRealm.status == 404)
    }
  }

  // MARK: The page

  @Test(arguments: ["en", "de", "fr", "es"])
  func `anybody may check a proof, also with the page alone, which can load and send nothing`(
    language: String
  ) async throws {
    try await LocalServer.run { server in
      let stranger = PageReader(server, token: nil, language: language)
      let page = try await stranger.get("/am/verify")
      #expect(
        page.status == 200 && page.contains("ledger-verify.js")
          && page.contains("<html lang=\"\(language)\">"))
      #expect(!page.contains("{{") && page.contains("{number}"), "the script fills in the numbers")

      let alone = try await stranger.get("/am/verify?save=true")
      #expect(alone.headers[.contentDisposition] == "attachment; filename=\"verify.html\"")
      #expect(!alone.contains("src=") && !alone.contains("<link rel=\"stylesheet\""))
      #expect(!alone.html.contains(/<a |<form/), "no way to anywhere")
      let policy = try #require(alone.html.firstMatch(of: /Content-Security-Policy" content="([^"]+)"/)).1
      #expect(
        policy.hasPrefix("default-src 'none'") && !policy.contains("connect-src") && !policy.contains("http"))
      for (element, start) in [("style", "<style>"), ("script", "<script type=\"module\">")] {
        let text = try #require(
          alone.html.components(separatedBy: start).dropFirst().first?.components(
            separatedBy: "</\(element)>"
          ).first)
        let hash = Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
        #expect(policy.contains("\(element)-src 'sha256-\(hash)'"), "\(element)")
      }
    }
  }
}
