import Concurrency
import DeviceKeys
import Foundation
import PingJourneyPlugin
import PingLogger
import ProofFixtures
import StrictJSON
import Testing

@testable import PingBinding

/// Whom a program signs as that has no bundle identifier.
@Suite struct ApplicationIDTests {
  let device = BindingDevice()

  @Test func `a printed bind was unsupported in a program without bundle identifier`() async throws {
    let token = try await device.bind(bindingCallback()) { $0.applicationId = nil }.token()
    // On Linux no program has a bundle identifier.
    let expected = Bundle.main.bundleIdentifier ?? "local."
    #expect(try #require(token.claims["iss"]?.stringValue).hasPrefix(expected))
    let signed = try await device.sign(signingCallback()) { $0.applicationId = nil }.token()
    #expect(signed.claims["iss"] == token.claims["iss"])
  }

  @Test(arguments: [
    ("wallet", "local.wallet"), ("acme till_2", "local.acme-till-2"),
    ("com.acme.till", "local.com.acme.till"),
    ("..", "local.application"), ("", "local.application"), ("Kasse\u{e9}", "local.Kasse-"),
  ])
  func `the name of the executable is made an id that nobody else can have`(name: String, id: String) {
    #expect(ApplicationID.derived(from: name) == id)
  }

  @Test func `the log says what is signed as and what to set`() {
    let log = Warnings()
    guard Bundle.main.bundleIdentifier == nil else { return }
    let id = ApplicationID.chosen(nil, logger: log)
    #expect(log.lines.count == 1)
    #expect(log.lines.first?.contains(id) == true)
    #expect(log.lines.first?.contains("BindingModule.applicationId") == true)
    #expect(ApplicationID.chosen("com.acme.wallet", logger: log) == "com.acme.wallet")
    #expect(log.lines.count == 1)
  }

  @Test func `an authenticator that is used by itself signs as the program`() async throws {
    let key = try await device.keyStore.createKey(tag: "own", protection: .none, unlock: .nothing)
    let params = SigningParameters(
      keyPair: KeyPair(key), kid: "kid", userId: mira, challenge: challenge, issueTime: device.start,
      notBeforeTime: device.start, expiration: device.start + 60)
    let token = try VerifiedToken(
      try NoneAuthenticator().sign(params: params, journey: nil), key: key.publicKey)
    #expect(token.claims["iss"]?.stringValue == ApplicationID.chosen(nil, logger: Warnings()))
  }

  /// In a process of its own: the setting is the process's.
  @Test func `an id that is set once counts for every operation that names none`() async {
    await #expect(processExitsWith: .success) {
      BindingModule.applicationId = "com.acme.kiosk"
      let device = BindingDevice()
      for _ in 1...2 {
        let token = try await device.bind(bindingCallback()) { $0.applicationId = nil }.token()
        #expect(token.claims["iss"] == "com.acme.kiosk")
      }
      let named = try await device.bind().token()
      #expect(named.claims["iss"] == "com.acme.wallet")
      #expect(DeviceBindingConfig().applicationId == nil)
    }
  }
}

private final class Warnings: PingLogger.Logger, Sendable {
  private let kept = Locked<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) { kept.withLock { $0.append(message) } }
  func e(_ message: String, error: (any Error)?) {}
}
