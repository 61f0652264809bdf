import Bytes
import CommonFixtures
import Foundation
import SealringTesting
import SigningTransactions
import StrictJSON
import Testing

/// A key of this computer, from a browser: the page's link, the command line that answers it, and the way back.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SealringLinkTests {
  private static let signedIn = "#title[data-end=success]"

  /// The server's address as browsers know it, which the key has to be bound to.
  private func atLocalhost(_ setup: CommandSetup) -> String {
    setup.server.address.replacing("127.0.0.1", with: "localhost")
  }

  private func bind(_ setup: CommandSetup) async throws {
    let bound = try await setup.tool.run(
      [
        "bind", "--username", "mira", "--password-stdin", "--pin-stdin", "--store", "software", "--server",
        atLocalhost(setup),
      ], input: "\(CommandSetup.password)\n\(CommandSetup.pin)\n")
    #expect(bound.status == 0, "\(bound.errors)")
  }

  private func link(_ browser: Browser) async throws -> String {
    try await browser.wait(for: "#desktop")
    return try #require(
      try await browser.evaluate("return document.getElementById('desktop').href").stringValue)
  }

  /// Answers the link as a person at the terminal does; what was shown before the question, and the address with the answer.
  private func answer(_ link: String, _ setup: CommandSetup) async throws -> (asked: String, address: String)
  {
    let command = try TerminalCommand(setup.tool, ["handle-url", "--print", link], size: (200, 40))
    let asked = await command.read(until: "(y/n): ")
    command.type("y\r")
    _ = await command.read(until: "PIN: ")
    command.type("\(CommandSetup.pin)\r")
    let end = await command.finish()
    #expect(end.status == 0, "\(end.shown)")
    let address = try #require(
      end.shown.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http") }, "\(end.shown)")
    return (asked, String(address))
  }

  @Test func `the key of this computer signs in the tab that asked, and the answer is good nowhere else`()
    async throws
  {
    try await CommandSetup.run { setup in
      try await bind(setup)
      try await Browser.run { browser in
        try await browser.open("SignIn", at: setup.server.address)
        let link = try await link(browser)
        #expect(try await browser.accessibilityViolations() == [])
        let first = try await browser.tab()
        let answer = try await answer(link, setup)
        // Who asks for what, in the command's own words.
        #expect(answer.asked.contains(atLocalhost(setup)) && answer.asked.contains("mira"))
        #expect(answer.asked.contains("asks to sign in"))
        #expect(answer.address.hasPrefix("\(atLocalhost(setup))/XUI/?realm=%2Falpha#id="))

        let second = try await browser.openTab()
        try await browser.go(to: answer.address)
        try await browser.wait(for: "main[aria-busy=false]")
        try await browser.wait(for: "#title:not(:empty)")
        try await browser.use(tab: first)
        try await browser.wait(for: Self.signedIn)
        try await browser.use(tab: second)
        try await browser.waitForText("Confirmed. Go back")
        // Neither in the address nor in the history.
        #expect(try await !browser.address().contains("signed"))
        #expect(try await browser.accessibilityViolations() == [])

        // Nobody waits for it any more, and another sign-in does not take it.
        try await browser.use(tab: first)
        try await browser.open("SignIn", at: setup.server.address)
        try await browser.wait(for: "#desktop")
        try await browser.use(tab: second)
        try await browser.go(to: "about:blank")
        try await browser.go(to: answer.address)
        try await browser.waitForText("No sign-in on this computer waits")
        try await browser.use(tab: first)
        #expect(try await browser.evaluate("return document.getElementById('desktop') !== null") == true)
        try await browser.click("#otherWay")
        try await browser.wait(for: "#title[data-end=failure]")
      }
    }
  }

  private static let id = String(repeating: "0a", count: 16)

  /// A link as the page makes it.
  private func link(
    _ setup: CommandSetup, challenge: String, transaction: JSONObject? = nil
  ) -> String {
    var parts = [
      ("server", atLocalhost(setup)), ("realm", "/alpha"), ("id", Self.id), ("challenge", challenge),
    ]
    if let transaction { parts.append(("transaction", JSONValue.object(transaction).text)) }
    return "sealring://sign?" + parts.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
  }

  @Test func `a payment is shown as it is signed, and nothing in it can hide or add a word`() async throws {
    try await CommandSetup.run { setup in
      try await bind(setup)
      let rent = try Transaction(
        amount: "1250.00", currency: "EUR", payee: "Hausverwaltung Krüger", account: "DE89370400440532013000",
        text: "Rent for May")
      let offer = try #require(
        OfferedTransaction(
          id: "rent-may", transaction: rent, nonce: Array(repeating: 7, count: Transaction.nonceCount)))
      var json = offer.json
      // What the server says beside it is not signed, and could be anybody's words.
      json["context"] = ["application": "Shop\u{202E}\u{1B}[2J\nAmount: 1.00 EUR"]
      let command = try TerminalCommand(
        setup.tool,
        ["handle-url", "--print", link(setup, challenge: offer.challenge, transaction: json)],
        size: (200, 40))
      let asked = await command.read(until: "(y/n): ")
      #expect(rent.lines.count == 4)
      for line in rent.lines { #expect(asked.contains(line), "\(asked)") }
      #expect(!asked.contains("\u{202E}") && !asked.contains("\u{1B}[2J"), "\(asked)")
      #expect(!asked.contains("\nAmount: 1.00 EUR"), "\(asked)")
      #expect(!asked.contains("PIN"), "it is shown before the key is unlocked")
      command.type("y\r")
      _ = await command.read(until: "PIN: ")
      command.type("\(CommandSetup.pin)\r")
      let end = await command.finish()
      #expect(end.status == 0, "\(end.shown)")
      let token = try #require(
        end.shown.split(separator: "signed=").last?.split(separator: ".").dropFirst().first)
      let claims = try JSONValue(parsing: try #require(Base64URL.decode(String(token))))
      #expect(claims["txn"] == "rent-may" && claims["challenge"]?.stringValue == offer.challenge)

      let other = try #require(
        OfferedTransaction(
          id: "rent-may", transaction: try Transaction(text: "x"),
          nonce: Array(repeating: 7, count: Transaction.nonceCount)))
      func changed(_ name: String, _ value: String) -> JSONObject {
        var fields = rent.json
        fields[name] = .string(value)
        var json = offer.json
        json["fields"] = .object(fields)
        return json
      }
      for hostile in [
        changed("payee", "Haus\u{202E}verwaltung"), changed("payee", "Haus\u{200B}verwaltung"),
        changed("payee", "Haus\u{7}"), changed("text", "Rent\u{1B}[2K"), changed("text", "Rent\nAmount: 1"),
        changed("account", "DE89\u{2066}"), changed("memo", "nobody would see this"),
        // Readable, and not what the challenge stands for.
        changed("amount", "1.00"), changed("payee", "Somebody"), other.json,
      ] {
        let refused = try await setup.tool.run(
          [
            "handle-url", "--print", "--pin-stdin",
            link(setup, challenge: offer.challenge, transaction: hostile),
          ], input: "\(CommandSetup.pin)\n")
        #expect(refused.status == 1 && refused.output.isEmpty, "\(hostile)")
        #expect(
          !refused.errors.contains("approve") && !refused.errors.contains("signed="), "\(refused.errors)")
        #expect(
          !refused.errors.contains("\u{202E}") && !refused.errors.contains("\u{1B}"), "\(refused.errors)")
      }
      // Nobody is there: the words name no option that this command does not have.
      let unasked = try await setup.tool.run(
        [
          "handle-url", "--print", "--pin-stdin",
          link(setup, challenge: offer.challenge, transaction: offer.json),
        ],
        input: "\(CommandSetup.pin)\n")
      #expect(unasked.status == 1 && unasked.output.isEmpty)
      #expect(
        unasked.errors.contains("Nothing was signed") && !unasked.errors.contains("--yes"),
        "\(unasked.errors)")
    }
  }

  @Test func `a wrong PIN is told in words, with the tries that are left`() async throws {
    try await CommandSetup.run { setup in
      try await bind(setup)
      let command = try TerminalCommand(
        setup.tool,
        [
          "handle-url", "--print", "--pin-stdin",
          link(setup, challenge: "J9EwcIHJMpiI9N0XZKk2bY1BWPhm19UKa7QE49Cqay0="),
        ])
      command.type("314159\r")
      _ = await command.read(until: "(y/n): ")
      command.type("y\r")
      let end = await command.finish()
      #expect(end.status == 1 && end.shown.contains("The PIN is wrong."), "\(end.shown)")
      #expect(!end.shown.contains("wrongPIN") && !end.shown.contains("DeviceKeyError"), "\(end.shown)")
      #expect(!end.shown.contains("signed="))
    }
  }

  @Test func `a link is refused unless the key belongs to its server, and unless the person says yes`()
    async throws
  {
    try await CommandSetup.run { setup in
      try await bind(setup)
      let challenge = "J9EwcIHJMpiI9N0XZKk2bY1BWPhm19UKa7QE49Cqay0%3D"
      func link(server: String, _ more: String = "") -> String {
        let server = server.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return
          "sealring://sign?server=\(server)&realm=%2Falpha&id=\(String(repeating: "0a", count: 16))&challenge=\(challenge)\(more)"
      }
      let own = atLocalhost(setup)
      for wrong in [
        link(server: "https://evil.example/am"),
        link(server: own.replacing("localhost", with: "localhost@evil.example")),
        link(server: "http://evil.example/am"), link(server: own + "/" + "..%2f"),
        link(server: own, "&user=somebody"),
        link(server: own, "&server=https://evil.example"), link(server: own, "&command=x"),
        link(server: own, "&timeout=0"), link(server: own, "&transaction=%7B%22fields%22%3A1%7D"),
        link(server: own).replacing("0a0a", with: "0A0A"), link(server: own).replacing("sign?", with: "run?"),
        "sealring://sign", "https://evil.example", link(server: own) + String(repeating: "x", count: 40_000),
      ] {
        let refused = try await setup.tool.run(
          ["handle-url", "--print", "--pin-stdin", wrong], input: "\(CommandSetup.pin)\n")
        #expect(refused.status == 1 && refused.output.isEmpty, "\(wrong.prefix(200)): \(refused.errors)")
      }
      // Nobody is there to be asked: nothing is signed.
      let unasked = try await setup.tool.run(
        ["handle-url", "--print", "--pin-stdin", link(server: own)], input: "\(CommandSetup.pin)\n")
      #expect(unasked.status == 1 && unasked.output.isEmpty && unasked.errors.contains("Nothing was signed"))
      let command = try TerminalCommand(setup.tool, ["handle-url", "--print", link(server: own)])
      _ = await command.read(until: "(y/n): ")
      command.type("n\r")
      let end = await command.finish()
      #expect(end.status == 1 && end.shown.contains("nothing was signed") && !end.shown.contains("signed="))
    }
  }
}
