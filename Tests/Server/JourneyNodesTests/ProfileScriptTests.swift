import CommonFixtures
import Concurrency
import Foundation
import JourneyEngine
import JourneyScripts
import StrictJSON
import Testing

@testable import JourneyNodes

/// Transformations of providers' profiles, with real workers.
@Suite struct ProfileScriptTests {
  private static let program = BuiltProgram.path("ScriptHost")

  private static let claims: JSONObject = [
    "sub": "7", "given_name": "Ada", "name": "Ada Byron", "email": "ada@example.com", "email_verified": true,
    "groups": ["math"],
  ]

  private func profiles(_ log: Locked<[String]> = Locked([])) async throws -> ProfileScripts {
    var services = try await World().services
    services.scripts = ScriptServices(workers: ScriptWorkers(program: Self.program))
    services.scripts?.log = { line, script, _ in
      log.withLock { $0.append("\(script): \(line.text)") }
    }
    return try #require(ProfileScripts(services: services))
  }

  private func transformed(
    _ source: String, version: String = "1.0", libraries: [JourneyScript] = []
  ) async throws -> JSONObject {
    try await profiles().transform(
      Self.claims, normalized: ProfileTransformation.normalized(Self.claims),
      by: JourneyScript(id: "s", name: "Mine", source: source, evaluatorVersion: version), among: libraries,
      realm: "alpha")
  }

  @Test func `a script of an export reads the profile as Java has it, and its last value is the result`()
    async throws
  {
    let made = try await transformed(
      """
      (function () {
        var fr = JavaImporter(org.forgerock.json.JsonValue);
        var identity = fr.JsonValue.json(fr.JsonValue.object());
        identity.put('givenName', normalizedProfile.get('givenName').asString());
        identity.put('userName', normalizedProfile.username.asString());
        if (normalizedProfile.get('postalAddress').isNotNull()) { identity.put('postalAddress', 'x'); }
        if (rawProfile.get('groups').isNotNull()) { identity.put('group', rawProfile.groups.asList().get(0)); }
        return identity;
      }());
      """)
    #expect(made == ["givenName": "Ada", "userName": "ada@example.com", "group": "math"])
  }

  @Test func `a script of the next generation has plain objects, libraries, and its realm`() async throws {
    let names = JourneyScript(
      id: "l", name: "names", source: "exports.shout = (text) => text.toUpperCase();", context: "LIBRARY")
    let made = try await transformed(
      """
      const names = require("names");
      const { displayName, email } = normalizedProfile;
      ({ cn: names.shout(displayName), mail: email, realm, id: rawProfile.sub });
      """, version: "2.0", libraries: [names])
    #expect(made == ["cn": "ADA BYRON", "mail": "ada@example.com", "realm": "/alpha", "id": "7"])
  }

  @Test(
    arguments: [
      "throw new Error('no')", "'a text'", "[1]", "null", "undefined", "(function () {})", "{", "for (;;) {}",
      "({ toJSON() { throw new Error('no'); } })", "({ a: 'x'.repeat(70000) })",
      "const round = {}; round.round = round; round;",
    ])
  func `a script that makes no profile is an error, and so is one that never ends`(source: String)
    async throws
  {
    for version in ["1.0", "2.0"] {
      await #expect(throws: (any Error).self, "\(source)") { try await transformed(source, version: version) }
    }
  }

  @Test func `what a script writes about itself goes into the log under its name`() async throws {
    let log = Locked<[String]>([])
    _ = try await profiles(log).transform(
      Self.claims, normalized: [:],
      by: JourneyScript(
        id: "s", name: "Mine", source: "logger.info('seen {}', rawProfile.sub); ({})", evaluatorVersion: "2.0"
      ),
      among: [], realm: "alpha")
    #expect(log.withLock { $0 } == ["Mine: seen 7"])
  }

  @Test func `an address that the provider does not vouch for is in no normalized profile`() {
    var claims = Self.claims
    claims["email_verified"] = false
    let profile = ProfileTransformation.normalized(claims)
    #expect(profile["email"] == nil && profile["username"] == nil && profile["displayName"] == "Ada Byron")
    #expect(ProfileTransformation.normalized(Self.claims)["username"] == "ada@example.com")
  }
}
