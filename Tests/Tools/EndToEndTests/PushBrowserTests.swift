import Assembly
import CommonFixtures
import Foundation
import PingLogger
import PingPush
import PrivateFiles
import QRCodeReader
import SealringTesting
import Testing

/// A person at a browser, and their device: the page draws the enrolment, and the device reads it off the screen.
@Suite(.serialized) struct PushBrowserTests {
  private static let password = "correct horse 1"

  private func signIn(_ journey: String, _ browser: Browser, _ server: TestServer) async throws {
    try await browser.open(journey, at: server.address)
    try await browser.wait(for: "input[type=password]")
    try await browser.type("mira", into: "#IDToken1")
    try await browser.type(Self.password, into: "#IDToken2")
    try await browser.click("button[type=submit]")
  }

  private func device(in folder: URL) async throws -> PushClient {
    try await PushClient.createClient {
      $0.storage = PushKeychainStorage(
        home: ClientHome(directory: folder.appending(path: "device")), logger: LogManager.none)
      $0.logger = LogManager.none
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `A device enrols from the picture on the page, and answers the number and the code that it shows`()
    async throws
  {
    try await withTemporaryFolder { folder in
      try await TestServer.run(configure: { $0.clock = { Date() } }) { server in
        try await server.addUser("mira", password: Self.password)
        let device = try await device(in: folder)
        try await Browser.run { browser in
          try await signIn("PushRegister", browser, server)
          try await browser.wait(for: "img.enrolment:not([hidden])")
          let picture = try GreyImage(png: try await browser.screenshot(of: "img.enrolment"))
          let address = try #require(try QRCodeReader.texts(in: picture).first)
          try await device.addCredentialFromUri(address)
          try await browser.wait(for: ".codes:not(details *)")
          try await browser.click("button[type=submit]")
          try await browser.wait(for: "#title[data-end=success]")

          for journey in ["PushNumber", "PushCode"] {
            try await signIn(journey, browser, server)
            try await browser.wait(for: ".number")
            let shown = try await browser.text(of: ".number")
            let question = try #require(try await device.fetchNotifications(wait: 20).first)
            #expect(question.pushType == .challenge)
            if journey == "PushNumber" {
              #expect(question.getNumbersChallenge().map(String.init).contains(shown))
            } else {
              #expect(question.codeLength == 6 && shown.count == 6 && question.getNumbersChallenge() == [])
            }
            #expect(try await device.approveChallengeNotification(question.id, challengeResponse: shown))
            try await browser.wait(for: "#title[data-end=success]")
          }
          #expect(try await browser.complaints() == [])
        }
        await device.close()
      }
    }
  }
}
