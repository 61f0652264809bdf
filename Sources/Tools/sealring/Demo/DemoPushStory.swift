import Assembly
import Foundation
import JourneyDriving
import PingDeviceClient
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingOrchestrate
import PingPush
import PrivateFiles
import QRCodeReader
import QRCodes
import SealringTesting

/// The scenes of `sealring demo --push`: a sign-in page on one side, the device that approves on the other.
struct DemoPushStory: DemoScenes {
  let options: ServerOptions
  let folder: URL
  let server: SealringServer

  func tell() async throws {
    let home = ClientHome(directory: folder.appending(path: "device"))
    let device = try await PushClient.createClient { config in
      config.storage = PushKeychainStorage(home: home, logger: LogManager.none)
      config.logger = LogManager.none
    }
    try await begin()
    try await forgetEarlierRuns(device)
    try await enrol(device)
    try await tap(device)
    try await chooseNumber(device)
    try await typeCode(device)
    try await deny(device)
    await device.close()
  }

  /// Deletes credentials of earlier runs: they name the port of an earlier server.
  private func forgetEarlierRuns(_ device: PushClient) async throws {
    for credential in try await device.getCredentials() {
      try await device.deleteCredential(credentialId: credential.id)
    }
    let token = try await JourneyPlayer(
      journey: options.makeJourney(), username: Self.username,
      secrets: Secrets(givenPassword: Self.password, givenPIN: nil)
    ).play("Login").session.value
    let devices = try await options.devices(token: token)
    for device in try await devices.push.get().get() { _ = try await devices.push.delete(device).get() }
  }

  private func enrol(_ device: PushClient) async throws {
    let node = try await play("PushRegister") { page in
      guard let uri = page.enrolment else { return }
      let code = try QRCode(uri)
      scene("Enrol", "password accepted; the page shows a QR code of \(code.size) by \(code.size) modules")
      let scanned: String
      do {
        let photograph = try code.picture().png()
        scanned = try QRCodeReader.texts(in: GreyImage(png: photograph)).first ?? ""
        detail("the device scans it (\(photograph.count) bytes of PNG) and answers its challenge:")
      } catch QRCodeReaderError.missingLibrary(let library, _, _) {
        scanned = uri
        detail("\(library) is not installed, so no picture is scanned;")
        detail("the device is given the text, and answers its challenge:")
      }
      let credential = try await device.addCredentialFromUri(scanned)
      detail("credential \(credential.id) for \(credential.displayName)")
    }
    try accepted(node, "registered; recovery codes are shown once, the QR code is void")
  }

  private func tap(_ device: PushClient) async throws {
    let node = try await play("PushSignIn") { _ in
      let request = try await incoming(device)
      scene("Tap", "the device shows: \(request.text)")
      for line in request.context {
        detail("\(line.name.padding(toLength: 6, withPad: " ", startingAt: 0)) \(line.value)")
      }
      try await request.give(.approve(nil), through: device)
      detail("\(Self.username) approves")
    }
    try accepted(node, "\(Self.username) is signed in")
  }

  private func chooseNumber(_ device: PushClient) async throws {
    let node = try await play("PushNumber") { page in
      let request = try await incoming(device)
      scene("Number", "the page shows \(page.number ?? ""), the device asks for the \(request.task)")
      try await request.give(.approve(page.number ?? ""), through: device)
    }
    try accepted(node, "\(Self.username) chose the page's number")
  }

  private func typeCode(_ device: PushClient) async throws {
    let node = try await play("PushCode") { page in
      let request = try await incoming(device)
      let code = page.number ?? ""
      scene("Code", "the page shows \(code), the device asks to type it")
      let wrong = String((Int(code).map { ($0 + 1) % 1_000_000 } ?? 0) + 1_000_000).suffix(6)
      do {
        try await request.give(.approve(String(wrong)), through: device)
        throw CommandFailure("The server accepted a wrong code: please report this as a bug.")
      } catch PushError.pushNumberChallengeError {
        verdict(accepted: false, "\(wrong), mistyped; one more try is left")
      }
      try await request.give(.approve(code), through: device)
    }
    try accepted(node, "the code was right, and is used up")
  }

  private func deny(_ device: PushClient) async throws {
    let reason = "that was not me"
    let node = try await play("PushSignIn") { _ in
      let request = try await incoming(device)
      scene("Thief", "someone else has the password; the device shows:")
      detail(request.text)
      try await request.give(.deny(reason: reason), through: device)
      detail("\(Self.username) denies: \(reason)")
    }
    try refused(node)
  }

  /// The request that the sign-in just sent.
  private func incoming(_ device: PushClient) async throws -> PushRequest {
    guard let id = try await device.fetchNotifications(wait: 10).first?.id else {
      throw CommandFailure("The device got no request within 10 seconds: please report this as a bug.")
    }
    return try await PushRequest.named(id, of: device)
  }

  private func accepted(_ node: any Node, _ text: String) throws {
    guard node is SuccessNode else {
      throw CommandFailure("The server refused what it must accept: please report this as a bug.")
    }
    verdict(accepted: true, text)
  }

  // MARK: The sign-in page

  /// The hidden values of a waiting page.
  ///
  /// `number` is the number to choose, or the code to type.
  private typealias Page = (enrolment: String?, number: String?)

  /// Plays a journey in which the page waits for the device. Calls `meanwhile` once, when it begins to wait.
  private func play(_ name: String, meanwhile: (Page) async throws -> Void) async throws -> any Node {
    var hasWaited = false
    return try await JourneyDriver().play(from: await options.makeJourney().start(name)) { callback, step in
      switch callback {
      case let callback as NameCallback: callback.name = Self.username
      case let callback as PasswordCallback: callback.password = Self.password
      case let callback as PollingWaitCallback:
        if !hasWaited {
          hasWaited = true
          let enrolment = step.hidden(HiddenValueCallback.enrolmentID)
          try await meanwhile((enrolment, step.hidden("pushChallengeNumber")))
        }
        try await Task.sleep(for: .milliseconds(callback.waitTime))
      default: break
      }
    }
  }
}
