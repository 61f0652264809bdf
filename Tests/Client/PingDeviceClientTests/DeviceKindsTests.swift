import Foundation
import PingNetwork
import StrictJSON
import Testing

@testable import PingDeviceClient

// Records in the forms that the server sends.

private let pushRecord = #"""
  {"_id":"9f1c","_rev":"1","createdDate":1767225612000,"lastAccessDate":1767226001000,"deviceName":"Push Device",
  "uuid":"9f1c","deviceManagementStatus":false}
  """#

private let webAuthnRecord = #"""
  {"_id":"7c1c9d64","_rev":"1478115432","createdDate":1763703600000,"lastAccessDate":1763703660000,
  "credentialId":"tFT3OdscqXDohP-KRNQfyw","deviceName":"My Laptop","uuid":"7c1c9d64","deviceManagementStatus":false}
  """#

private let profileRecord = #"""
  {"_id":"3f0a-77","_rev":"5","identifier":"3f0a-77","alias":"Mira's phone","recoveryCodes":[],
  "metadata":{"platform":{"platform":"Linux","version":6,"jailBreakScore":0.5},"hardware":{"cameras":null},
  "tags":["a",true]},"location":{"latitude":51.4,"longitude":-2},"lastSelectedDate":1767226001500}
  """#

private func list(_ record: String) -> String {
  #"{"result":[\#(record)],"resultCount":1,"pagedResultsCookie":null}"#
}

/// A server with one device per kind, which answers changes with the changed record.
private let server = ScriptedSender { asked in
  if asked.url.contains("getSessionInfo") { return .success((200, #"{"username":"mira"}"#)) }
  let record =
    if asked.url.contains("/webauthn") {
      webAuthnRecord
    } else if asked.url.contains("/profile") {
      profileRecord
    } else {
      pushRecord
    }
  return .success((200, asked.method == "GET" ? list(record) : record))
}

private func client(_ transport: ScriptedSender) -> DeviceClient {
  DeviceClient(
    config: DeviceClientConfig(
      serverUrl: "https://example.com/am", realm: "alpha", ssoToken: "token", httpClient: transport))
}

private let devicesURL = "https://example.com/am/json/realms/alpha/users/mira/devices"

@Suite("Devices of the other kinds")
struct DeviceKindsTests {
  @Test func `a push device`() async throws {
    let device = try #require(try await client(server).push.get().get().first)
    #expect(device.id == "9f1c" && device.uuid == "9f1c" && device.deviceName == "Push Device")
    #expect(device.createdDate == 1_767_225_612 && device.lastAccessDate == 1_767_226_001)
    #expect(device.urlSuffix == "devices/2fa/push")
  }

  @Test func `an OATH device`() async throws {
    let device = try #require(try await client(server).oath.get().get().first)
    #expect(device.id == "9f1c" && device.urlSuffix == "devices/2fa/oath")
  }

  @Test func `a WebAuthn device`() async throws {
    let device = try #require(try await client(server).webAuthn.get().get().first)
    #expect(device.credentialId == "tFT3OdscqXDohP-KRNQfyw" && device.deviceName == "My Laptop")
    #expect(device.createdDate == 1_763_703_600 && device.urlSuffix == "devices/2fa/webauthn")
  }

  @Test func `a device profile`() async throws {
    let device = try #require(try await client(server).profile.get().get().first)
    #expect(device.id == "3f0a-77" && device.identifier == "3f0a-77" && device.deviceName == "Mira's phone")
    #expect(device.location == Location(latitude: 51.4, longitude: -2))
    #expect(device.lastSelectedDate == 1_767_226_001.5 && device.urlSuffix == "devices/profile")
    let platform = try #require(device.metadata["platform"] as? [String: any Sendable])
    #expect(platform["platform"] as? String == "Linux" && platform["version"] as? Int64 == 6)
    #expect(platform["jailBreakScore"] as? Double == 0.5)
    #expect((device.metadata["hardware"] as? [String: any Sendable])?.isEmpty == true)
    let tags = try #require(device.metadata["tags"] as? [any Sendable])
    #expect(tags.first as? String == "a" && tags.last as? Bool == true)
  }

  @Test func `renaming sends the name alone, with If-Match where the server wants it`() async throws {
    func rename<T: RecordedDevice>(_ devices: any DeviceRepository<T>) async throws {
      var device = try #require(try await devices.get().get().first)
      device.deviceName = "Desk"
      _ = try await devices.update(device).get()
    }
    let transport = ScriptedSender { server.answer(to: $0) }
    let client = client(transport)
    try await rename(client.push)
    try await rename(client.oath)
    try await rename(client.webAuthn)
    try await rename(client.profile)
    try await rename(client.push)
    let puts = transport.asked.filter { $0.method == "PUT" }
    #expect(
      puts.map(\.url) == [
        "\(devicesURL)/2fa/push/9f1c", "\(devicesURL)/2fa/oath/9f1c", "\(devicesURL)/2fa/webauthn/7c1c9d64",
        "\(devicesURL)/profile/3f0a-77", "\(devicesURL)/2fa/push/9f1c",
      ])
    #expect(puts.map { $0.headers["if-match"] } == ["*", "*", nil, nil, "*"])
    let name = #"{"deviceName":"Desk"}"#
    #expect(puts.map(\.body) == [name, name, name, #"{"alias":"Desk"}"#, name])
    #expect(puts.allSatisfy { $0.headers["accept-api-version"] == "resource=1.0" })
  }

  @Test func `deleting`() async throws {
    func delete<T: Device>(_ devices: any DeviceRepository<T>) async throws {
      _ = try await devices.delete(try #require(try await devices.get().get().first)).get()
    }
    let transport = ScriptedSender { server.answer(to: $0) }
    let client = client(transport)
    try await delete(client.push)
    try await delete(client.oath)
    try await delete(client.webAuthn)
    try await delete(client.profile)
    #expect(
      transport.asked.filter { $0.method == "DELETE" }.map(\.url) == [
        "\(devicesURL)/2fa/push/9f1c", "\(devicesURL)/2fa/oath/9f1c", "\(devicesURL)/2fa/webauthn/7c1c9d64",
        "\(devicesURL)/profile/3f0a-77",
      ])
  }

  @Test func `a kind that the server does not know is a refusal`() async {
    let transport = ScriptedSender { asked in
      .success(asked.method == "POST" ? (200, #"{"username":"mira"}"#) : (404, #"{"message":"Not found"}"#))
    }
    guard case .failure(.requestFailed(404, "Not found")) = await client(transport).oath.get() else {
      Issue.record("not a refusal")
      return
    }
  }

  @Test func `times that older servers do not tell are zero`() async throws {
    let transport = ScriptedSender { asked in
      .success(
        (
          200,
          asked.method == "POST"
            ? #"{"username":"mira"}"#
            : list(#"{"_id":"9f1c","uuid":"9f1c","deviceName":"P","lastAccessDate":null}"#)
        ))
    }
    let device = try #require(try await client(transport).push.get().get().first)
    #expect(device.createdDate == 0 && device.lastAccessDate == 0)
  }

  @Test(arguments: ["_id", "alias", "identifier"])
  func `a record without a member names it`(member: String) async {
    let transport = ScriptedSender { asked in
      .success(
        (
          200,
          asked.method == "POST"
            ? #"{"username":"mira"}"#
            : list(profileRecord.replacing(#""\#(member)":"#, with: #""other":"#))
        ))
    }
    guard case .failure(.decodingFailed(let error)) = await client(transport).profile.get() else {
      Issue.record("accepted a profile without \(member)")
      return
    }
    #expect(error.localizedDescription.contains(member))
  }

  @Test func `coding keeps the record whole and writes the new name`() throws {
    func recoded<T: RecordedDevice>(_ device: T) throws -> JSONValue {
      try JSONValue(parsing: JSONEncoder().encode(device))
    }
    func decoded<T: RecordedDevice>(_ type: T.Type, _ record: String) throws -> T {
      try JSONDecoder().decode(type, from: Data(record.utf8))
    }
    #expect(try recoded(decoded(PushDevice.self, pushRecord)) == JSONValue(parsing: pushRecord))
    #expect(try recoded(decoded(WebAuthnDevice.self, webAuthnRecord)) == JSONValue(parsing: webAuthnRecord))
    var profile = try decoded(ProfileDevice.self, profileRecord)
    #expect(try recoded(profile) == JSONValue(parsing: profileRecord))
    profile.deviceName = "Desk"
    #expect(try recoded(profile)["alias"] == "Desk")
    let made = OathDevice(id: "1", deviceName: "n", uuid: "1", createdDate: 1.5, lastAccessDate: 2)
    #expect(try recoded(made)["createdDate"] == 1500)
    #expect(try JSONDecoder().decode(OathDevice.self, from: JSONEncoder().encode(made)) == made)
    #expect(throws: (any Error).self) { try decoded(PushDevice.self, "{}") }
  }
}
