import CommonFixtures
import Foundation
import PingStorage
import PushFormats
import StrictJSON
import Testing

@testable import PingPush

/// The push service's token (reference push §5, §9.1 items 5 to 7).
struct DeviceTokenTests {
  private func refreshes(_ device: RegisteredDevice) -> [ScriptedServer.Asked] {
    device.server.asked.filter { $0.action == "refresh" }
  }

  @Test func `a blank token is refused`() async throws {
    let device = try await RegisteredDevice()
    await expect("invalidParameterValue") { try await device.client.setDeviceToken(" ") }
    await expect("invalidParameterValue") { try await device.client.setDeviceToken(data: Data()) }
  }

  @Test func `blanks around a token go, and a blank one is refused, wherever it enters`() async throws {
    let device = try await RegisteredDevice()
    let handler = PingAMPushHandler(httpClient: device.server)
    let responder = PingAMPushResponder(httpClient: device.server)
    for blank in ["", " ", "\n\t"] {
      await expect("invalidParameterValue") {
        try await handler.setDeviceToken(credential: device.credential, deviceToken: blank, params: [:])
      }
      await expect("invalidParameterValue") {
        try await responder.updateDeviceToken(credential: device.credential, deviceToken: blank)
      }
    }
    #expect(refreshes(device).isEmpty)
    #expect(
      try await handler.setDeviceToken(credential: device.credential, deviceToken: " a1 \n", params: [:]))
    #expect(try await responder.updateDeviceToken(credential: device.credential, deviceToken: "\ta1 "))
    let told = try refreshes(device).map {
      try PushRefresh(verifying: $0.body["jwt"]?.stringValue ?? "", secret: device.server.secret).address
        .deviceID
    }
    #expect(told == ["a1", "a1"])
    #expect(
      PushDeviceToken(token: " a1\n").token == "a1"
        && PushDeviceToken(token: " a1") == PushDeviceToken(token: "a1"))
    try await withHome { home in
      let storage = PushKeychainStorage(home: home)
      await expect("PushStorageError") { try await storage.storePushDeviceToken(PushDeviceToken(token: " ")) }
      try await storage.storePushDeviceToken(PushDeviceToken(token: " a1 "))
      #expect(try await storage.getCurrentPushDeviceToken()?.token == "a1")
    }
  }

  @Test func `without credentials there is nothing to tell`() async throws {
    let client = try await makeClient(MemoryPushStorage())
    #expect(try await client.getDeviceToken() == nil)
    #expect(try await client.setDeviceToken("token"))
    #expect(try await client.getDeviceToken() == "token")
  }

  @Test func `the server is told the token that was passed, signed`() async throws {
    let device = try await RegisteredDevice()
    #expect(try await device.client.setDeviceToken("new"))
    let asked = try #require(refreshes(device).first)
    #expect(asked.body["username"]?.stringValue == "bjensen" && asked.headers["Cookie"] == nil)
    let refresh = try PushRefresh(
      verifying: asked.body["jwt"]?.stringValue ?? "", secret: device.server.secret)
    #expect(refresh.address.deviceID == "new" && refresh.mechanismUID == device.credential.id)
    #expect(refresh.address.deviceName == "Test Device" && refresh.issuedAt != nil)
    #expect(try await device.client.setDeviceToken("new"))
    #expect(refreshes(device).count == 1)
  }

  @Test func `a server that was not told is told at the next call, with the same token`() async throws {
    let device = try await RegisteredDevice()
    device.server.answer(0, 400)
    #expect(try await device.client.setDeviceToken("new") == false)
    #expect(try await device.client.getDeviceToken() == "new")
    #expect(try await device.client.setDeviceToken("new") == false)
    #expect(try await device.client.setDeviceToken("new"))
    #expect(try await device.client.setDeviceToken("new"))
    #expect(refreshes(device).count == 3)
  }

  @Test func `one credential's token is not the others'`() async throws {
    let device = try await RegisteredDevice()
    let other = try await device.client.addCredentialFromUri(device.server.uri(account: "other"))
    #expect(try await device.client.setDeviceToken("new", credentialId: other.id))
    #expect(refreshes(device).map { $0.body["mechanismUid"]?.stringValue } == [other.id])
    #expect(try await device.client.setDeviceToken("new"))
    #expect(
      refreshes(device).map { $0.body["mechanismUid"]?.stringValue } == [other.id, device.credential.id])
    #expect(try await device.client.setDeviceToken("new", credentialId: "nobody") == false)
    device.server.answer(500)
    await expect("networkFailure") { try await device.client.setDeviceToken("newer", credentialId: other.id) }
  }

  /// Credentials that another module stored do not say what their server knows.
  @Test func `a credential without a record of it has the token of its time`() async throws {
    let device = try await RegisteredDevice()
    let token = try await device.client.getDeviceToken()
    var credential = device.credential
    credential.confirmedDeviceToken = nil
    try await device.storage.storePushCredential(credential)
    #expect(try await device.client.setDeviceToken(token ?? ""))
    #expect(refreshes(device).isEmpty)
    device.server.answer(500)
    #expect(try await device.client.setDeviceToken("new") == false)
    #expect(try await device.client.setDeviceToken("new"))
    #expect(refreshes(device).count == 2)
  }

  @Test func `case is no difference in hexadecimal, and is one elsewhere`() async throws {
    let device = try await RegisteredDevice()
    let hex = String(repeating: "aB", count: 32)
    #expect(try await device.client.setDeviceToken(hex))
    #expect(try await device.client.setDeviceToken(hex.uppercased()))
    #expect(refreshes(device).count == 1)
    #expect(try await device.client.setDeviceToken("Token-\(hex)"))
    #expect(try await device.client.setDeviceToken("token-\(hex)"))
    #expect(refreshes(device).count == 3)
  }

  @Test func `the form for app delegates works in the background`() async throws {
    let device = try await RegisteredDevice()
    let asked = device.server.hold()
    defer { device.server.release() }
    device.client.setDeviceToken(Data([0xDE, 0xAD]))
    try await asked.wait(until: "the server is told the token")
    // Stored before the server has answered.
    #expect(try await device.client.getDeviceToken() == "dead")
    let told = try #require(refreshes(device).first)
    let refresh = try PushRefresh(
      verifying: told.body["jwt"]?.stringValue ?? "", secret: device.server.secret)
    #expect(refresh.address.deviceID == "dead" && refresh.mechanismUID == device.credential.id)
    device.server.release()
    // Waits for the call in the background, which has recorded that the server knows the token.
    #expect(try await device.client.setDeviceToken("dead"))
    #expect(refreshes(device).count == 1)
  }
}
