import Assembly
import CommonFixtures
import EvidenceLedger
import Foundation
import JourneyEngine
import ProofFixtures
import SealringTesting
import StrictJSON
import Testing

/// An administrator in a real browser.
@Suite(.serialized) struct AdministrationBrowserTests {
  private static let password = "correct horse 1"

  /// Signs in at the page that asks for it, and comes back.
  private func signIn(_ browser: Browser, at address: String) async throws {
    try await browser.go(to: "\(address)/admin/")
    try await browser.waitOverPages(for: "input[type=password]")
    try await browser.type("amAdmin", into: "#IDToken1")
    try await browser.type(TestServer.administratorPassword, into: "#IDToken2")
    try await browser.click("button[type=submit]")
    try await browser.waitOverPages(for: "nav.tabs a[aria-current=page]")
  }

  private func refuse(_ name: String, _ server: TestServer) async {
    let ended = await TestDevice().play(
      "Login", on: server, as: name, password: "wrong", person: ScriptedPerson(pin: "1"))
    #expect(!ended.isSuccess)
  }

  // Half a minute: one story through every page in a real browser, each page judged by axe-core.
  @Test(.timeLimit(.minutes(5)))
  func `An administrator sees why somebody cannot sign in, puts a journey live, and finds a forged entry`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let journeys = folder.appending(path: "journeys")
      try FileManager.default.createDirectory(
        at: journeys.appending(path: "alpha"), withIntermediateDirectories: true)
      let storage = TestServer.Storage.sqlite(folder.appending(path: "server"))
      try await TestServer.run(storage: storage, journeys: journeys) {
        server in
        try await server.addUser("mira", password: Self.password)
        let bound = await TestDevice().play(
          "BindDevice", on: server, as: "mira", password: Self.password, person: ScriptedPerson(pin: "471108")
        )
        #expect(bound.isSuccess)
        // Of two runs at one time nobody knows which was the last.
        server.clock.advance(by: 60)
        await refuse("mira", server)
        try await Browser.run { browser in
          try await signIn(browser, at: server.address)
          for page in [
            "", "users", "users/mira", "journeys", "journeys/Login", "ledger", "ledger/1", "devices",
            "server",
          ] {
            try await browser.go(
              to: "\(server.address)/admin/\(page)\(page == "server" ? "" : "?realm=/alpha")")
            try await browser.wait(for: "h1")
            let violations = try await browser.accessibilityViolations()
            #expect(violations == [], "\(page)")
          }
          try await create(browser, at: server.address)
          try await plots(browser, server)
          try await why(browser, at: server.address)
          try await upload(browser, server)
          try await verify(browser, at: server.address)
          // Of what is asked for on purpose and is not there.
          let complaints = try await browser.complaints().filter { !$0.contains(" 404 ") }
          #expect(complaints == [])
          try await watch(browser, server)
        }
      }
    }
  }

  /// A new user, whose name is taken at first.
  private func create(_ browser: Browser, at address: String) async throws {
    try await browser.go(to: "\(address)/admin/users?realm=/alpha")
    for name in ["mira", "noel"] {
      try await browser.wait(for: "#create")
      _ = try await browser.evaluate("document.getElementById('username').value = ''")
      try await browser.type(name, into: "#username")
      try await browser.click("#create")
      try await browser.waitOverPages(for: name == "mira" ? "#problem" : "#notice")
      #expect(try await browser.accessibilityViolations() == [], "\(name)")
    }
  }

  /// The plots are drawn anew when something has happened, and not when nothing has.
  private func plots(_ browser: Browser, _ server: TestServer) async throws {
    try await browser.go(to: "\(server.address)/admin/?realm=/alpha&span=hour")
    try await browser.wait(for: "#livePause:not([hidden])")
    #expect(try await browser.accessibilityViolations() == [])
    // As a network that is back: asked at once. The figures that stay are the same elements.
    let ask = """
      const done = arguments[0];
      const figures = [...document.querySelectorAll("#plots figure")];
      const own = fetch;
      window.fetch = async (...all) => {
        window.fetch = own;
        const answer = await own(...all);
        const news = await answer.clone().json();
        setTimeout(() => done([
          Boolean(news.plots), figures.filter((figure) => figure.isConnected).length, figures.length,
          document.querySelectorAll("#plots figure").length, document.getElementById("plots").textContent,
        ]), 50);
        return answer;
      };
      dispatchEvent(new Event("online"));
      """
    // The requests for the page itself are load, too.
    _ = try await browser.evaluateLater(ask)
    let quiet = try await browser.evaluateLater(ask)
    #expect(quiet[0] == false && quiet[1] == quiet[2] && quiet[2] == quiet[3])
    await refuse("nils", server)
    let news = try await browser.evaluateLater(ask)
    #expect(news[0] == true && news[2] == news[3])
    #expect((news[1]?.integerValue ?? 9) < (news[2]?.integerValue ?? 0), "one of them is new")
    #expect(news[4]?.stringValue?.contains("Refused: 2") == true, "\(news[4]?.text ?? "")")
    #expect(try await browser.accessibilityViolations() == [])
    try await hide(browser, "/admin/plots?span=hour&realm=%2Falpha&after=")
    try await browser.click("#livePause")
    #expect(try await browser.text(of: "#liveState") == "Updates are paused.")
  }

  private func why(_ browser: Browser, at address: String) async throws {
    try await browser.go(to: "\(address)/admin/users/mira?realm=/alpha")
    try await browser.click("#why")
    try await browser.waitOverPages(for: "#findings .bad")
    #expect(try await browser.text(of: "#findings").contains("was refused in journey Login"))
    #expect(try await browser.accessibilityViolations() == [])
    try await browser.click("#attempts a[href*=signins]")
    try await browser.waitOverPages(for: "svg.journey .taken")
    #expect(try await browser.accessibilityViolations() == [])
  }

  /// The list goes on by itself, also after the network was gone, and ends with the session.
  private func watch(_ browser: Browser, _ server: TestServer) async throws {
    try await browser.go(to: "\(server.address)/admin/signins?realm=/alpha")
    try await browser.wait(for: "#livePause:not([hidden])")
    server.clock.advance(by: 60)
    await refuse("nora", server)
    try await browser.wait(for: "#attempts li:first-child a[href*='name=nora']")
    #expect(
      try await browser.evaluate("return document.querySelectorAll('#attempts [data-run]').length > 1")
        == true)
    #expect(try await browser.accessibilityViolations() == [])
    try await hide(browser, "/admin/activity?realm=%2Falpha&after=")
    try await browser.setOffline(true)
    try await browser.waitForText("cannot be reached")
    server.clock.advance(by: 60)
    await refuse("otto", server)
    try await browser.setOffline(false)
    try await browser.wait(for: "#attempts li:first-child a[href*='name=otto']")
    try await browser.click("#livePause")
    #expect(try await browser.text(of: "#liveState") == "Updates are paused.")
    try await browser.command("Network.clearBrowserCookies", [:])
    try await browser.click("#livePause")
    try await browser.wait(for: "#liveState a")
    #expect(try await browser.text(of: "#liveState").contains("Your session has ended"))
    #expect(try await browser.accessibilityViolations() == [])
    try await browser.click("#liveState a")
    // The page of a realm asks whose administrator comes.
    try await browser.waitOverPages(for: "#asRoot")
    #expect(try await browser.accessibilityViolations() == [])
    try await browser.click("#asRoot")
    try await browser.waitOverPages(for: "input[type=password]")
  }

  /// A page that nobody can see plans nothing, and asks at once when it is seen again.
  private func hide(_ browser: Browser, _ address: String) async throws {
    let planned = try await browser.evaluate(
      """
      let planned = 0;
      const own = setTimeout;
      window.setTimeout = (...all) => { planned += 1; return own(...all); };
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
      window.setTimeout = own;
      return planned;
      """)
    #expect(planned == 0)
    let asked = try await browser.evaluateLater(
      """
      const done = arguments[0];
      const own = fetch;
      window.fetch = (address, ...more) => {
        window.fetch = own;
        done(String(address));
        return own(address, ...more);
      };
      delete document.hidden;
      document.dispatchEvent(new Event("visibilitychange"));
      """)
    #expect(asked.stringValue?.contains(address) == true, "\(asked.text)")
  }

  private func upload(_ browser: Browser, _ server: TestServer) async throws {
    let before = try #require(server.catalog.document(journey: "Login", realm: "alpha"))
    let export = String(decoding: before.serialized, as: UTF8.self)
      .replacing("Check Credentials", with: "Check the password")
    try await browser.go(to: "\(server.address)/admin/upload?realm=/alpha")
    try await browser.wait(for: "#export")
    // As a file of the person's.
    _ = try await browser.evaluate(
      """
      const files = new DataTransfer();
      files.items.add(new File([arguments[0]], "Login.journey.json"));
      const input = document.getElementById("file");
      input.files = files.files;
      input.dispatchEvent(new Event("change"));
      """, [.string(export)])
    _ = try await browser.evaluateLater(
      """
      const done = arguments[0];
      const look = () => document.getElementById("export").value ? done() : setTimeout(look, 20);
      look();
      """)
    try await browser.click("#compare")
    try await browser.waitOverPages(for: "#live")
    let review = try await browser.text(of: "#reviewed")
    #expect(review.contains("displayName") && review.contains("Check the password"))
    #expect(server.catalog.document(journey: "Login", realm: "alpha") == before)
    #expect(try await browser.accessibilityViolations() == [])
    try await browser.click("#live")
    try await browser.waitOverPages(for: "#notice")
    let after = try #require(server.catalog.document(journey: "Login", realm: "alpha"))
    #expect(String(decoding: after.serialized, as: UTF8.self) == export)
  }

  /// The proof in a ledger of one's own, where the entry says something else: its hash and the ledger's signature are right.
  private func resealed(
    _ proof: String, _ change: (inout EvidenceRecord) -> Void
  ) async throws -> String {
    var record = try UnverifiedInclusion(parsing: Array(proof.utf8)).verified().entry.record
    change(&record)
    let key = try KeyHolder()
    let header = EvidenceHeader(ledger: "AAAAAAAAAAAAAAAAAAAAAA", key: key.publicKey)
    var chain = EvidenceChain(header: header)
    let entry = try EvidenceEntry(number: 1, previous: chain.head, record: record)
    try chain.append(entry.line)
    let checkpoint = try await EvidenceCheckpoint(of: chain, at: record.time, signer: key)
    var maker = EvidenceProofMaker(.inclusion(1, at: nil))
    for line in [header.line, entry.line, checkpoint.line] { try maker.take(line + [UInt8(ascii: "\n")]) }
    guard case .inclusion(let made) = try maker.finish() else {
      throw EvidenceFault(.proof, "it is not a proof of inclusion")
    }
    return String(decoding: made.file, as: UTF8.self)
  }

  private func verify(_ browser: Browser, at address: String) async throws {
    try await browser.go(to: "\(address)/admin/verify")
    try await browser.wait(for: "#verifyServer")
    try await browser.click("#verifyServer")
    try await browser.wait(for: "#result.notice, #result.problem")
    #expect(try await browser.text(of: "#result").hasSuffix("Entries checked: 1"))
    #expect(try await browser.accessibilityViolations() == [])
    // The proof of the one entry, for its own realm only.
    let proofs = try await browser.evaluateLater(
      """
      const done = arguments[0];
      Promise.all(["proof/1?realm=/alpha", "proof/1", "ledger/1?realm=/alpha", "proof/2?realm=/alpha"].map((path) => fetch(path)))
        .then(async (answers) => done([...answers.map((answer) => answer.status), await answers[0].text()]));
      """)
    #expect(proofs.arrayValue?.prefix(4).compactMap(\.integerValue) == [200, 404, 200, 404])
    #expect(proofs[4]?.stringValue?.contains("\"sealring\":\"evidence-inclusion\"") == true)
    // The same file on the same page: who signed what comes first.
    func check(_ text: String) async throws {
      _ = try await browser.evaluateLater(
        """
        const [text, done] = arguments;
        const files = new DataTransfer();
        files.items.add(new File([text], "proof.json"));
        document.getElementById("result").className = "";
        const input = document.getElementById("exportChoice");
        input.files = files.files;
        input.dispatchEvent(new Event("change"));
        done();
        """, [.string(text)])
      try await browser.wait(for: "#result.notice, #result.problem")
    }
    let proof = try #require(proofs[4]?.stringValue)
    try await check(proof)
    #expect(try await browser.text(of: "#result") == "Entry 1 of 1: the proof is right.")
    #expect(try await browser.text(of: "#statement").contains("mira (alpha)"))
    #expect(try await browser.accessibilityViolations() == [])
    for forged in [
      proof.replacing("mira", with: "nora"),
      proof.replacing("\"path\":[", with: "\"path\":[\"\(String(repeating: "A", count: 43))\""),
      proof.replacing("\"version\":1", with: "\"version\":2"),
      try await resealed(proof) { $0.username = "nora" },
    ] {
      try #require(forged != proof)
      try await check(forged)
      #expect(try await browser.text(of: "#result").hasPrefix("This is not right"), "\(forged)")
      #expect(try await browser.text(of: "#statement").isEmpty)
    }
    try await check(try await resealed(proof) { $0.kind = .certify })
    #expect(try await browser.text(of: "#statement").contains("SSH certificate issued"))
    // Everybody's page, saved: from the disk, without any server.
    try await browser.go(to: "\(address)/verify")
    #expect(try await browser.accessibilityViolations() == [])
    let saved = try await browser.evaluateLater(
      "const done = arguments[0]; fetch(document.getElementById('savePage').href).then((answer) => answer.text()).then(done);"
    )
    let folder = try TemporaryFolder.make()
    let file = folder.url.appending(path: "verify.html")
    try Data(try #require(saved.stringValue).utf8).write(to: file)
    try await browser.go(to: file.absoluteString)
    try await check(proof)
    #expect(try await browser.text(of: "#result") == "Entry 1 of 1: the proof is right.")
    #expect(try await browser.text(of: "#statement").contains("mira (alpha)"))
    try await browser.go(to: "\(address)/admin/verify")
    try await browser.wait(for: "#verifyServer")
    // What somebody with the database, or on the way, would do: one entry says something else.
    for (from, to, place) in [
      ("\"username\":\"mira\"", "\"username\":\"nora\"", "Entry 1"),
      ("\"kind\":\"bind\"", "\"kind\":\"sign\"", "Entry 1"),
    ] {
      _ = try await browser.evaluateLater(
        """
        const [from, to, done] = arguments;
        fetch(document.getElementById("verifyServer").dataset.export).then((answer) => answer.text()).then((text) => {
          const forged = text.replace(from, to);
          if (forged === text) return done("nothing was forged");
          const files = new DataTransfer();
          files.items.add(new File([forged], "evidence.jsonl"));
          document.getElementById("result").className = "";
          const input = document.getElementById("exportChoice");
          input.files = files.files;
          input.dispatchEvent(new Event("change"));
          done();
        });
        """, [.string(from), .string(to)])
      try await browser.wait(for: "#result.problem, #result.notice")
      #expect(try await browser.text(of: "#result").contains(place))
      #expect(try await browser.text(of: "#result").contains("not right"))
    }
  }
}
