import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// `sealring push` on the device's side and `sealring journey run` on the other: commands of their own over real HTTP.
@Suite struct PushCommandTests {
  @Test func `a device enrols with the code that the server shows, once`() async throws {
    try await PushScene.run { scene in
      let (command, uri) = try await scene.beginEnrolment()
      let enrolled = try await scene.device.run(["push", "enroll", "-", "--json"], input: uri + "\n")
      #expect(enrolled.status == 0, "\(enrolled.errors)")
      let credential = try enrolled.json
      #expect(credential["accountName"] == "mira" && credential["locked"] == false)
      #expect(credential["sharedSecret"] == nil)
      let end = await command.finish()
      #expect(end.status == 0, "\(end.errors)")
      let last = try JSONValue(parsing: end.output.split(separator: "\n").last.map(String.init) ?? "")
      #expect(last["enrolled"] == true)
      #expect(last["recoveryCodes"]?.arrayValue?.count == 10)

      let listed = try await scene.device.run(["push", "credentials", "--json"])
      #expect(try listed.json == .array([credential]))

      let again = try await scene.device.run(["push", "enroll", "-"], input: uri + "\n")
      #expect(again.status == 1, "the code is used up")
      let another = try scene.desktop.start(
        ["push", "qr", "--server", scene.server.address, "--username", "mira", "--password-stdin"],
        input: PushScene.password + "\n")
      let confirmed = try await scene.device.run(["push", "listen", "--once", "--approve"])
      #expect(confirmed.status == 0, "\(confirmed.errors)")
      let second = await another.finish()
      #expect(second.status == 1)
      #expect(second.errors.contains("without an enrolment"), "\(second.errors)")
    }
  }

  @Test func `the code is scanned from a picture, and drawn for terminals and pages`() async throws {
    try await PushScene.run { scene in
      let png = scene.folder.appending(path: "code.png").path(percentEncoded: false)
      let svg = scene.folder.appending(path: "code.svg").path(percentEncoded: false)
      let (command, uri) = try await scene.beginEnrolment(["--png", png, "--svg", svg])
      for file in [png, svg] {
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600, "the code is a secret")
      }
      #expect(try String(contentsOfFile: svg, encoding: .utf8).hasPrefix("<svg "))
      let drawn = try await scene.desktop.run(["push", "qr", "-"], input: uri + "\n")
      #expect(drawn.status == 0, "\(drawn.errors)")
      #expect(!drawn.output.contains("\u{1B}"), "no control sequences outside a terminal")
      #expect(drawn.output.contains("▀") && drawn.output.split(separator: "\n").count > 20)

      let enrolled = try await scene.device.run(["push", "enroll", "--scan", png])
      #expect(enrolled.status == 0, "\(enrolled.errors)")
      #expect(await command.finish().status == 0)

      for (file, said) in [(svg, "not a PNG picture"), (png + ".missing", "cannot be read")] {
        let refused = try await scene.device.run(["push", "enroll", "--scan", file])
        #expect(refused.status == 1)
        #expect(refused.errors.contains(said), "\(refused.errors)")
      }
    }
  }

  @Test func `a listening device approves by tap`() async throws {
    try await PushScene.run { scene in
      try await scene.enrol()
      let listening = try scene.device.start(["push", "listen", "--once", "--approve", "--json"])
      _ = await listening.remark(/Listening for mira/)
      let signedIn = try await scene.signIn().finish()
      #expect(signedIn.status == 0, "\(signedIn.errors)")
      #expect(try signedIn.json["tokenId"]?.stringValue?.isEmpty == false)
      let heard = await listening.finish()
      #expect(heard.status == 0, "\(heard.errors)")
      let request = try heard.json
      #expect(request["state"] == "approved" && request["type"] == "default")
      #expect(request["context"]?["from"]?.stringValue?.isEmpty == false, "\(request)")
    }
  }

  @Test func `a denial ends the sign-in at once, and its reason is kept`() async throws {
    try await PushScene.run { scene in
      try await scene.enrol()
      let signingIn = try scene.signIn()
      let request = try await scene.nextRequest()
      let id = try #require(request["id"]?.stringValue)
      let denied = try await scene.device.run(["push", "deny", id, "--reason", "not me", "--json"])
      #expect(denied.status == 0, "\(denied.errors)")
      #expect(try denied.json["state"] == "denied")
      let end = await signingIn.finish()
      #expect(end.status == 1)
      #expect(end.errors.contains("Login failure"), "\(end.errors)")
      let late = try await scene.device.run(["push", "approve", id])
      #expect(late.status == 1 && late.errors.contains("already answered"), "\(late.errors)")
      let decision = try #require(try await scene.decisions()["result"]?[0])
      #expect(decision["reason"] == "not me" && decision["messageId"] == request["messageId"], "\(decision)")
    }
  }

  @Test func `the number that the page shows approves, another of the three does not`() async throws {
    try await PushScene.run { scene in
      try await scene.enrol()
      let signingIn = try scene.signIn("PushNumber")
      let shown = try #require(await signingIn.remark(/Choose (\d\d) on/)).1
      let request = try await scene.nextRequest()
      let id = try #require(request["id"]?.stringValue)
      let numbers = (request["numbers"]?.arrayValue ?? []).compactMap(\.integerValue)
      #expect(request["type"] == "challenge" && numbers.count == 3)
      let number = try #require(Int64(shown))
      let wrong = try #require(numbers.first { $0 != number })

      let without = try await scene.device.run(["push", "approve", id])
      #expect(without.status == 1 && without.errors.contains("--number"), "\(without.errors)")
      let missed = try await scene.device.run(["push", "approve", id, "--number", "\(wrong)"])
      #expect(
        missed.status == 1 && missed.errors.contains("not what the sign-in page shows"), "\(missed.errors)")
      #expect(try await scene.pending().count == 1, "the request is open for one more try")
      let approved = try await scene.device.run(["push", "approve", id, "--number", "\(number)"])
      #expect(approved.status == 0, "\(approved.errors)")
      let end = await signingIn.finish()
      #expect(end.status == 0, "\(end.errors)")
    }
  }

  @Test func `six digits are typed on the device, and two mistakes end it`() async throws {
    try await PushScene.run { scene in
      try await scene.enrol()
      for mistakes in [1, 2] {
        let signingIn = try scene.signIn("PushCode")
        let shown = String(try #require(await signingIn.remark(/Enter (\d{6}) on/)).1)
        let request = try await scene.nextRequest()
        let id = try #require(request["id"]?.stringValue)
        #expect(request["type"] == "code" && request["codeLength"] == 6 && request["numbers"] == [])
        let wrong = shown == "000000" ? "111111" : "000000"
        for _ in 0..<mistakes {
          let missed = try await scene.device.run(["push", "approve", id, "--code", wrong])
          #expect(missed.status == 1, "\(missed.errors)")
        }
        let typed = try await scene.device.run(["push", "approve", id, "--code", shown])
        #expect(typed.status == (mistakes == 1 ? 0 : 1), "\(typed.errors)")
        let end = await signingIn.finish()
        #expect(end.status == (mistakes == 1 ? 0 : 1), "\(end.errors)")
      }
    }
  }

  @Test func `--approve lets no request through that asks for a number`() async throws {
    try await PushScene.run { scene in
      try await scene.enrol()
      let signingIn = try scene.signIn("PushNumber")
      let heard = try await scene.device.run(["push", "listen", "--once", "--approve"])
      #expect(heard.status == 1 && heard.errors.contains("--approve cannot know"), "\(heard.errors)")
      let id = try #require(try await scene.pending().first?["id"]?.stringValue)
      #expect(try await scene.device.run(["push", "deny", id]).status == 0)
      #expect(await signingIn.finish().status == 1)
    }
  }

  @Test func `a request whose time is over cannot be approved`() async throws {
    let journey = PushScene.journey("PushShort", type: "DEFAULT", timeout: 2000)
    try await PushScene.run(journeys: ["PushShort": journey]) { scene in
      try await scene.enrol()
      let signingIn = try scene.signIn("PushShort")
      let id = try #require(try await scene.nextRequest()["id"]?.stringValue)
      // The journey ends when the server lets the message expire.
      let end = await signingIn.finish()
      #expect(end.status == 1 && end.errors.contains("Login failure"), "\(end.errors)")
      let late = try await scene.device.run(["push", "approve", id])
      #expect(late.status == 1, "\(late.errors)")
      #expect(try await scene.pending().isEmpty)
      let all = try await scene.device.run(["push", "list", "--all", "--json"])
      #expect(try all.json[0]?["state"] == "expired")
    }
  }

  @Test func `without its server a device says so, and what it has stays open`() async throws {
    try await PushScene.run { scene in
      try await scene.enrol()
      let signingIn = try scene.signIn()
      let id = try #require(try await scene.nextRequest()["id"]?.stringValue)
      await scene.server.kill()
      _ = await signingIn.finish()
      let approved = try await scene.device.run(["push", "approve", id])
      #expect(
        approved.status == 1 && approved.errors.contains("Check that the server runs"), "\(approved.errors)")
      let listed = try await scene.device.run(["push", "list", "--json"])
      #expect(listed.status == 1 && listed.errors.contains("Check that the server runs"), "\(listed.errors)")
      #expect(try listed.json[0]?["state"] == "pending")
      let offline = try await scene.device.run(["push", "list", "--offline", "--json"])
      #expect(offline.status == 0)
    }
  }

  @Test func `two servers share one folder: what one asks is answered through the other`() async throws {
    try await PushScene.run { scene in
      try await scene.enrol()
      let other = try await ServerProcess.start(data: scene.folder.appending(path: "server"))
      let listening = try scene.device.start(["push", "listen", "--once", "--approve"])
      _ = await listening.remark(/Listening for mira/)
      let signedIn = try await scene.signIn(at: other.address).finish()
      #expect(signedIn.status == 0, "\(signedIn.errors)")
      #expect(await listening.finish().status == 0)
      #expect(await other.stop().status == 0)
    }
  }

  @Test func `a deleted credential is gone, and an unknown one is named`() async throws {
    try await PushScene.run { scene in
      let id = try #require(try await scene.enrol()["id"]?.stringValue)
      #expect(try await scene.device.run(["push", "credentials", "delete", id, "--yes"]).status == 0)
      #expect(try await scene.device.run(["push", "credentials", "--json"]).json == [])
      let again = try await scene.device.run(["push", "credentials", "delete", id, "--yes"])
      #expect(again.status == 1 && again.errors.contains(id), "\(again.errors)")
    }
  }

  // Twenty seconds: the whole demo, twice.
  @Test func `the push demo tells its story, also a second time over the same data`() async throws {
    try await withTemporaryFolder { folder in
      let data = folder.appending(path: "demo").path(percentEncoded: false)
      for _ in 1...2 {
        let result = try await CommandLineTool(home: folder).run(["demo", "--push", "--data", data])
        #expect(result.status == 0, "\(result.errors)")
        for scene in ["Enrol", "Tap", "Number", "Code", "Thief"] {
          #expect(result.output.contains("\n\(scene)"), "\(result.output)")
        }
        #expect(result.output.components(separatedBy: "accepted:").count == 5)
        #expect(result.output.components(separatedBy: "refused:").count == 3)
      }
    }
  }
}
