import Assembly
import Bytes
import CommonFixtures
import Crypto
import Foundation
import JourneyNodes
import SealringTesting
import SoftwareTPM
import StrictJSON
import Testing

/// A Sealring that lets people sign in by another one.
@Suite struct FederatedSignInTests {
  private static let password = "Correct horse battery 1"
  private static let redirect = "https://branch.example.com/am/XUI/"

  /// With characters that have to be encoded for the header (RFC 6749 §2.3.1).
  private static let secret = "100% secret: of+the branch/"

  private static func query(of address: String) -> String {
    address.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
  }

  private static let journey: JSONObject = {
    let (success, failure): (JSONValue, JSONValue) = (
      "70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "e301438c-0bd0-429c-ab0c-66126501069a"
    )
    return [
      "tree": [
        "_id": "Federated", "entryNodeId": "select",
        "nodes": [
          "select": ["nodeType": "SelectIdPNode", "connections": ["socialAuthentication": "handle"]],
          "handle": [
            "nodeType": "SocialProviderHandlerNode",
            "connections": [
              "ACCOUNT_EXISTS": success, "NO_ACCOUNT": "mail", "SOCIAL_AUTH_INTERRUPTED": failure,
            ],
          ],
          // The provider does not say that an address is verified, so it is asked for.
          "mail": ["nodeType": "AttributeCollectorNode", "connections": ["outcome": "create"]],
          "create": [
            "nodeType": "CreateObjectNode", "connections": ["CREATED": success, "FAILURE": failure],
          ],
        ],
      ],
      "nodes": [
        "select": ["_type": ["_id": "SelectIdPNode"], "includeLocalAuthentication": false],
        "handle": ["_type": ["_id": "SocialProviderHandlerNode"], "clientType": "BROWSER"],
        "mail": [
          "_type": ["_id": "AttributeCollectorNode"], "attributesToCollect": ["mail"], "required": true,
        ],
        "create": ["_type": ["_id": "CreateObjectNode"], "identityResource": "managed/alpha_user"],
      ],
    ]
  }()

  /// Head office, which has the accounts, and the branch, which asks it.
  private struct Place {
    let head: TestServer
    let branch: TestServer

    var issuer: String { "\(head.address)/oauth2/realms/root/realms/alpha" }

    func administrator(at server: TestServer) async throws -> [String: String] {
      let token = try await WebRequests.signIn(
        "amAdmin", TestServer.administratorPassword, realm: "root", at: server.address)
      return ["iPlanetDirectoryPro": token]
    }

    /// Gives somebody an account of head office.
    func employ(_ name: String) async throws {
      let added = try await WebRequests.send(
        "\(head.address)/json/realms/root/realms/alpha/users?_action=create",
        headers: try await administrator(at: head),
        json: [
          "username": .string(name), "userpassword": .string(FederatedSignInTests.password),
          "mail": [.string("\(name)@head.example.com")], "givenName": "Mira", "sn": "Okafor",
        ])
      #expect(added.status == 201, "\(added.json.text)")
    }

    /// An account of the branch, as its administrator sees it.
    func account(_ name: String) async throws -> JSONValue {
      try await WebRequests.send(
        "\(branch.address)/json/realms/root/realms/alpha/users/\(name)",
        headers: try await administrator(at: branch)
      ).json
    }

    func step(_ query: String, _ reply: JSONObject = [:]) async throws -> WebRequests.Answer {
      try await WebRequests.send(
        "\(branch.address)/json/realms/root/realms/alpha/authenticate?\(query)", json: reply)
    }

    /// Begins at the branch and signs in at head office: what the person's page sends on, and where head office sends the person.
    func leave(as name: String) async throws -> (reply: JSONObject, redirect: String) {
      let first = try await step("authIndexType=service&authIndexValue=Federated")
      let callback = first.json["callbacks"]?[0]
      #expect(callback?["type"] == "RedirectCallback", "\(first.json.text)")
      let address = try #require(callback?["output"]?[0]?["value"]?.stringValue)
      #expect(address.hasPrefix(issuer + "/authorize?"))
      let session = try await WebRequests.signIn(
        name, FederatedSignInTests.password, realm: "alpha", at: head.address)
      let back = try await WebRequests.send(address, headers: ["Cookie": "iPlanetDirectoryPro=\(session)"])
      let location = try #require(back.location, "\(back.status)")
      #expect(location.hasPrefix(FederatedSignInTests.redirect + "?"))
      return (
        ["authId": try #require(first.json["authId"]), "callbacks": first.json["callbacks"] ?? []], location
      )
    }

    /// The branch's answer to a person who comes back from head office.
    func signIn(as name: String) async throws -> WebRequests.Answer {
      let (reply, redirect) = try await leave(as: name)
      return try await step(FederatedSignInTests.query(of: redirect), reply)
    }

    /// Enters what the branch asks for.
    func enter(_ text: String, at step: WebRequests.Answer) async throws -> WebRequests.Answer {
      var callback = try #require(step.json["callbacks"]?[0]?.objectValue, "\(step.json.text)")
      #expect(callback["type"] == "StringAttributeInputCallback")
      var inputs = try #require(callback["input"]?.arrayValue)
      inputs[0] = ["name": try #require(inputs[0]["name"]), "value": .string(text)]
      callback["input"] = .array(inputs)
      return try await self.step(
        "", ["authId": try #require(step.json["authId"]), "callbacks": [.object(callback)]])
    }

    /// Whose session the branch gave.
    func person(of answer: WebRequests.Answer) async throws -> String? {
      let token = try #require(answer.json["tokenId"]?.stringValue, "\(answer.json.text)")
      let session = try await WebRequests.send(
        "\(branch.address)/json/realms/root/realms/alpha/sessions?_action=getSessionInfo",
        headers: ["iPlanetDirectoryPro": token], json: [:])
      return session.json["username"]?.stringValue
    }
  }

  /// - Parameters:
  ///   - port: the branch's; 0 for any.
  ///   - asks: whether head office asks people for their consent.
  private func run(
    redirect: String = Self.redirect, port: UInt16 = 0, asks: Bool = false,
    _ body: @escaping @Sendable (Place) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let journeys = folder.appending(path: "journeys")
      try FileManager.default.createDirectory(
        at: journeys.appending(path: "alpha"), withIntermediateDirectories: true)
      try Data(Self.journey.serialized).write(
        to: journeys.appending(path: "alpha/Federated.journey.json"))
      let hash = Base64URL.encode(SHA256.hash(data: Array(Self.secret.utf8)))
      let clients: JSONObject = [
        "clients": [
          [
            "client_id": "branch", "client_secret_sha256": .string(hash), "scope": "openid profile email",
            "redirect_uris": [.string(redirect)], "require_consent": .bool(asks),
          ]
        ]
      ]
      let file = folder.appending(path: "clients.json")
      try Data(clients.serialized).write(to: file)
      // Of two clocks that stand still, one would be late.
      let clock = TestClock()
      try await TestServer.run(clock: clock, configure: { $0.openIDClients = file }) { head in
        let provider: JSONObject = [
          "head": [
            "issuer": .string("\(head.address)/oauth2/realms/root/realms/alpha"), "clientId": "branch",
            "clientSecret": .string(Self.secret), "redirectURI": .string(redirect),
          ]
        ]
        var providers = IdentityProviders()
        try providers.add(try IdentityProvider.parse(provider.serialized) { _ in nil }, realm: "alpha")
        let known = providers
        try await TestServer.run(
          clock: clock, journeys: journeys,
          configure: { configuration in
            configuration.identityProviders = known
            configuration.port = Int(port)
          }
        ) { branch in
          try await body(Place(head: head, branch: branch))
        }
      }
    }
  }

  @Test func `the first sign-in makes a linked account, and the next one finds it`() async throws {
    try await run { place in
      try await place.employ("mira")
      let asked = try await place.signIn(as: "mira")
      #expect(asked.status == 200)
      let registered = try await place.enter("mira@example.com", at: asked)
      #expect(try await place.person(of: registered) == "mira")

      let account = try await place.account("mira")
      func texts(_ name: String) -> [String] {
        account[name]?.arrayValue?.compactMap(\.stringValue) ?? [account[name]?.stringValue].compactMap { $0 }
      }
      #expect(texts("sn") == ["Okafor"] && texts("mail") == ["mira@example.com"], "\(account.text)")
      let links = texts("aliasList")
      #expect(links.count == 1 && links.first?.hasPrefix(place.issuer + " ") == true, "\(account.text)")

      // Nothing is asked any more.
      let again = try await place.signIn(as: "mira")
      #expect(try await place.person(of: again) == "mira")
      #expect(try await place.account("mira")["_id"] == account["_id"])
    }
  }

  @Test func `who has an account's name at the provider does not get the account`() async throws {
    try await run { place in
      try await place.employ("noor")
      try await place.branch.addUser("noor", password: Self.password)
      let asked = try await place.signIn(as: "noor")
      let refused = try await place.enter("noor@head.example.com", at: asked)
      #expect(refused.status == 401)
      #expect(try await place.account("noor")["aliasList"] == nil)
    }
  }

  @Test func `a redirect is good once, and for the sign-in that it answers`() async throws {
    try await run { place in
      for name in ["mira", "thief"] { try await place.employ(name) }
      let (mine, mineBack) = try await place.leave(as: "mira")
      let (_, thiefsBack) = try await place.leave(as: "thief")
      // Whoever has a victim open this redirect would have the victim signed in as the thief.
      #expect(try await place.step(Self.query(of: thiefsBack), mine).status == 401)
      // And the step is used up.
      #expect(try await place.step(Self.query(of: mineBack), mine).status == 401)
    }
  }

  @Test func `who is signed out at the provider before coming back is not signed in`() async throws {
    try await run { place in
      try await place.employ("mira")
      let registered = try await place.enter("mira@example.com", at: try await place.signIn(as: "mira"))
      #expect(try await place.person(of: registered) == "mira")
      let (reply, redirect) = try await place.leave(as: "mira")
      let ended = try await WebRequests.send(
        "\(place.head.address)/json/realms/root/realms/alpha/sessions?_action=logoutByUser",
        headers: try await place.administrator(at: place.head), json: ["username": "mira"])
      #expect(ended.status == 200, "\(ended.json.text)")
      // The code was given in a session that is over.
      #expect(try await place.step(Self.query(of: redirect), reply).status == 401)
    }
  }

  /// Browsers keep cookies by host name, whatever the port: the two servers have one each.
  @Test(.timeLimit(.minutes(5)))
  func `Chromium goes from the branch's page to the provider's, consents, and is signed in at both`()
    async throws
  {
    let ports = try PortPair()
    try await run(redirect: "http://localhost:\(ports.first)/am/XUI/", port: ports.first, asks: true) {
      place in
      try await place.employ("mira")
      try await Browser.run { browser in
        try await browser.open("Federated", at: place.branch.address)
        try await browser.waitOverPages(for: "input[type=password]")
        try await browser.type("mira", into: "#IDToken1")
        try await browser.type(Self.password, into: "#IDToken2")
        try await browser.click("button[type=submit]")
        try await browser.waitOverPages(for: "#allow")
        #expect(try await browser.text().contains("branch wants to"))
        #expect(try await browser.accessibilityViolations() == [])
        try await browser.click("a[hreflang=de]")
        try await browser.waitOverPages(for: "html[lang=de] #allow")
        #expect(try await browser.text().contains("branch möchte"))
        try await browser.click("#allow")
        try await browser.waitOverPages(for: "form:not(:has(input[type=password])) #IDToken1")
        try await browser.type("mira@example.com", into: "#IDToken1")
        try await browser.click("button[type=submit]")
        try await browser.waitOverPages(for: "#title[data-end=success]")
        #expect(try await browser.text().contains("You are signed in."))
        #expect(try await place.account("mira")["mail"]?[0] == "mira@example.com")

        // The page asks for a new sign-in, so head office does, too, although it has a session. What may be shared is known.
        try await browser.open("Federated", at: place.branch.address)
        try await browser.waitOverPages(for: "input[type=password]")
        try await browser.type("mira", into: "#IDToken1")
        try await browser.type(Self.password, into: "#IDToken2")
        try await browser.click("button[type=submit]")
        try await browser.waitOverPages(for: "#title[data-end=success]")
        #expect(try await browser.complaints() == [])
      }
    }
    withExtendedLifetime(ports) {}
  }
}
