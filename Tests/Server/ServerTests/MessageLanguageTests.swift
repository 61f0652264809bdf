import Foundation
import HTTPTypes
import HummingbirdTesting
import PageTemplates
import StrictJSON
import Testing

@testable import ServerHTTP

@Suite("The language of messages") struct MessageLanguageTests {
  private func refused(_ server: LocalServer, _ language: String?, query: String = "") async throws -> Answer
  {
    var headers = ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "wrong"]
    headers["Accept-Language"] = language
    return try await server.call(.post, "\(LocalServer.alpha)/authenticate\(query)", headers: headers)
  }

  @Test(
    arguments: [
      (nil, "", nil), ("en", "", nil), ("it, nl", "", nil), ("*", "", nil), ("de", "", "de"),
      ("de-CH;q=0.9, it", "", "de"), ("en", "?locale=de_AT", "de"), ("de", "?locale=en", nil),
      ("de;q=0.5, fr-CA", "", "fr"), ("fr", "?locale=es_MX", "es"), ("es-419, en", "", "es"),
      (String(repeating: "de,", count: 500), "", "de"),
    ] as [(String?, String, String?)])
  func `a refused sign-in is said in the request's language, and nothing else of it changes`(
    language: String?, query: String, chosen: String?
  ) async throws {
    try await LocalServer.run(.router) { server in
      let answer = try await refused(server, language, query: query)
      let texts = try chosen.map { try TextCatalog().choose([$0]) }
      #expect(answer.message == texts?["messages.loginFailure"] ?? "Login failure")
      #expect(texts == nil || answer.message != "Login failure")
      #expect(answer.status == 401 && answer["code"] == 401 && answer["reason"] == "Unauthorized")
      #expect(answer["detail"] == ["failureUrl": ""])
      #expect(answer.json.objectValue?.names == ["code", "reason", "message", "detail"])
      #expect(answer.headers[.contentLanguage] == chosen)
    }
  }

  @Test
  func `an expired step, a missing session and an unknown realm are said in German, the log in English`()
    async throws
  {
    try await LocalServer.run(.router) { server in
      let headers = ["Accept-Language": "de"]
      let stale = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: ["authId": "x", "callbacks": []], headers: headers)
      #expect(stale.message == "Dieser Schritt ist abgelaufen." && stale["detail"]?["errorCode"] == "110")
      let nobody = try await server.call(.get, "\(LocalServer.alpha)/users/ada", headers: headers)
      #expect(nobody.status == 401 && nobody.message == "Der Zugriff wurde verweigert. Melden Sie sich an.")
      let realm = try await server.call(
        .post, "/am/json/realms/root/realms/nowhere/authenticate", body: [:], headers: headers)
      #expect(realm.status == 404 && realm.message == "Diesen Realm gibt es nicht.")
      _ = try await refused(server, "de")
      #expect(!server.logContains("fehlgeschlagen") && !server.logContains("verweigert"))
    }
  }

  @Test func `a password that the rules refuse is explained in German, with the policies' own names`()
    async throws
  {
    try await LocalServer.run(.router) { server in
      let token = try await server.signIn("ada")
      let answer = try await server.call(
        .put, "\(LocalServer.alpha)/users/ada", token: token,
        body: ["userpassword": "a", "currentpassword": "ada-password"], headers: ["Accept-Language": "de"])
      #expect(
        answer.status == 400 && answer.message?.contains("Das neue Passwort braucht mindestens") == true)
      #expect(answer["detail"]?["failedPolicyRequirements"]?[0]?["property"] == "userpassword")
    }
  }

  @Test(arguments: pageLanguages)
  func `the sign-in page knows the messages for which it or a theme has words of its own`(language: String)
    async throws
  {
    try await LocalServer.run(.router) { server in
      let texts = try await server.call(.get, "/am/XUI/texts?lang=\(language)")
      let message = try #require(try await refused(server, language).message)
      #expect(texts["failures"]?[message] == "refused")
      #expect(texts["texts"]?["refused"]?.stringValue != message)
    }
  }
}
