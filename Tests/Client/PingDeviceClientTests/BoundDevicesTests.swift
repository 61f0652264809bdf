import Foundation
import PingDeviceClient
import PingNetwork
import StrictJSON
import Testing

private let sessionInfo = #"""
  {"username":"mira","universalId":"id=mira,ou=user,o=alpha,ou=services,ou=am-config","realm":"/alpha",
  "latestAccessTime":"2026-01-09T10:00:00Z","maxIdleExpirationTime":"2026-01-09T10:30:00Z",
  "maxSessionExpirationTime":"2026-01-09T12:00:00Z","properties":{}}
  """#

private let record = #"""
  {"_id":"5C0B1E2A","_rev":"177719109","createdDate":1767225612000,"lastAccessDate":1767226001500.0,
  "deviceId":"3f0a","deviceName":"Mira's phone","uuid":"5C0B1E2A-1","recoveryCodes":[],
  "key":{"kty":"EC","kid":"5C0B1E2A"},"deviceManagementStatus":false}
  """#

private let list = #"{"result":[\#(record)],"resultCount":1,"pagedResultsCookie":null}"#

/// Answers the session question, and everything else with `answer`.
private func transport(
  user: String = "mira",
  _ answer: @escaping @Sendable (ScriptedSender.Asked) -> (status: Int, body: String)
) -> ScriptedSender {
  ScriptedSender { asked in
    asked.url.contains("getSessionInfo")
      ? .success((200, sessionInfo.replacing(#""mira""#, with: #""\#(user)""#))) : .success(answer(asked))
  }
}

private func devices(
  _ transport: ScriptedSender, serverUrl: String = "https://example.com/am", realm: String = "alpha",
  cookieName: String = "iPlanetDirectoryPro", token: String = "token"
) -> any DeviceRepository<BoundDevice> {
  DeviceClient(
    config: DeviceClientConfig(
      serverUrl: serverUrl, realm: realm, cookieName: cookieName, ssoToken: token, httpClient: transport)
  ).bound
}

@Suite("Bound devices")
struct BoundDevicesTests {
  @Test func `listing asks whose session it is and then for the devices`() async throws {
    let transport = transport { _ in (200, list) }
    let device = try #require(try await devices(transport).get().get().first)
    #expect(device.id == "5C0B1E2A")
    #expect(device.uuid == "5C0B1E2A-1")
    #expect(device.deviceName == "Mira's phone")
    #expect(device.deviceId == "3f0a")
    #expect(device.urlSuffix == "devices/2fa/binding")
    #expect(device.createdDate == 1_767_225_612)
    #expect(device.lastAccessDate == 1_767_226_001.5)
    #expect(device.record["key"]?["kid"] == "5C0B1E2A")

    let asked = transport.asked
    #expect(asked.map(\.method) == ["POST", "GET"])
    #expect(
      asked.map(\.url) == [
        "https://example.com/am/json/realms/alpha/sessions?_action=getSessionInfo",
        "https://example.com/am/json/realms/alpha/users/mira/devices/2fa/binding?_queryFilter=true",
      ])
    #expect(asked.map { $0.headers["accept-api-version"] } == ["resource=2.1", "resource=1.0"])
    #expect(asked.allSatisfy { $0.headers["iplanetdirectorypro"] == "token" })
    #expect(asked.map(\.body) == ["{}", ""])
  }

  @Test func `the user is asked for once`() async throws {
    let transport = transport { _ in (200, list) }
    let devices = devices(transport)
    _ = await devices.get()
    _ = await devices.get()
    #expect(transport.asked.map(\.method) == ["POST", "GET", "GET"])
  }

  @Test func `renaming sends the name alone and returns the server's record`() async throws {
    let transport = transport { asked in
      asked.method == "PUT" ? (200, record.replacing("Mira's phone", with: "Work phone")) : (200, list)
    }
    let devices = devices(transport)
    var device = try #require(try await devices.get().get().first)
    device.deviceName = "Work phone"
    #expect(try await devices.update(device).get().deviceName == "Work phone")
    let asked = try #require(transport.asked.last)
    #expect(asked.method == "PUT")
    #expect(asked.url.hasSuffix("/users/mira/devices/2fa/binding/5C0B1E2A"))
    #expect(asked.body == #"{"deviceName":"Work phone"}"#)
    #expect(asked.headers["content-type"] == "application/json")
    #expect(asked.headers["if-match"] == nil)
  }

  @Test(arguments: [(200, record), (200, "{}"), (204, "")])
  func `deleting returns the device`(status: Int, body: String) async throws {
    let transport = transport { asked in asked.method == "DELETE" ? (status, body) : (200, list) }
    let devices = devices(transport)
    let device = try #require(try await devices.get().get().first)
    #expect(try await devices.delete(device).get() == device)
    #expect(transport.asked.last?.method == "DELETE")
    #expect(transport.asked.last?.body == "")
  }

  @Test(arguments: [
    ("mira", "mira"), ("mira@example.com", "mira%40example.com"), ("a/../b", "a%2F..%2Fb"),
    ("ü b", "%C3%BC%20b"),
    ("id=mira,ou=user", "id%3Dmira%2Cou%3Duser"),
  ])
  func `the user is one path segment`(user: String, segment: String) async throws {
    let transport = transport(user: user) { _ in (200, list) }
    _ = try await devices(transport).get().get()
    #expect(transport.asked.last?.url.contains("/users/\(segment)/devices/") == true)
  }

  @Test(arguments: [
    ("root", "root"), ("", "root"), ("/", "root"), ("alpha", "alpha"), ("/alpha", "alpha"),
    ("alpha/", "alpha"),
    ("root/realms/alpha", "root/realms/alpha"), ("/alpha/beta", "root/realms/alpha/realms/beta"),
    ("a b", "a%20b"),
  ])
  func `every spelling of a realm is its path`(realm: String, path: String) async throws {
    let transport = transport { _ in (200, list) }
    _ = try await devices(transport, serverUrl: "https://example.com/am/", realm: realm).get().get()
    #expect(
      transport.asked.first?.url
        == "https://example.com/am/json/realms/\(path)/sessions?_action=getSessionInfo")
  }

  @Test func `dates are milliseconds on the wire`() throws {
    let device = try JSONDecoder().decode(BoundDevice.self, from: Data(record.utf8))
    #expect(device.lastAccessDate == 1_767_226_001.5)
    let written = try JSONValue(parsing: JSONEncoder().encode(device))
    #expect(written["createdDate"] == 1_767_225_612_000)
    #expect(written["lastAccessDate"] == 1_767_226_001_500)
    #expect(written["_id"] == "5C0B1E2A")
  }
}

@Suite("What goes wrong with devices")
struct DeviceFailureTests {
  private func failure(
    _ devices: any DeviceRepository<BoundDevice>
  ) async -> DeviceError? {
    if case .failure(let error) = await devices.get() { error } else { nil }
  }

  @Test(arguments: [
    (401, #"{"code":401,"message":"Access Denied"}"#, "Access Denied", "Sign in again"),
    (403, #"{"message":"Forbidden"}"#, "Forbidden", "administrator"),
    (404, #"{"message":"Not found"}"#, "Not found", "List the devices again"),
    (500, "<html>", "no reason given", "500"), (302, "", "no reason given", "302"),
    (400, #"{"message":"a\u001b[2Jb\nc"}"#, "a [2Jb c", "400"),
  ])
  func `a refusal says why and what to do`(status: Int, body: String, reason: String, advice: String)
    async throws
  {
    let error = await failure(devices(transport { _ in (status, body) }))
    guard case .requestFailed(let statusCode, let message) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(statusCode == status)
    #expect(message == reason)
    #expect(error?.localizedDescription.contains(advice) == true)
  }

  @Test(
    arguments: [
      (.networkError(error: NetworkError.cancelled), "Network error: The request was cancelled."),
      (.requestFailed(statusCode: 400, message: "Bad"), "Request failed with status code 400: Bad"),
      (.requestFailed(statusCode: 409, message: "Taken"), "Request failed with status code 409: Taken"),
      (.invalidUrl(url: "x"), "Invalid URL: x"),
      (.encodingFailed(message: "m"), "Failed to encode data: m"),
      (.invalidResponse(message: "m"), "Invalid response: m"),
      (.invalidToken(message: "m"), "Invalid token: m"),
      (.missingConfiguration(message: "m"), "Missing configuration: m"),
      (
        .decodingFailed(error: NetworkError.cancelled),
        "Failed to decode response: The request was cancelled."
      ),
    ] as [(DeviceError, String)])
  func `an error says the published SDK's sentence`(error: DeviceError, sentence: String) {
    #expect(error.localizedDescription == sentence)
  }

  @Test(arguments: [401, 403, 404, 500, 503])
  func `advice stands after the published sentence`(status: Int) {
    let error = DeviceError.requestFailed(statusCode: status, message: "No")
    let sentence = "Request failed with status code \(status): No. "
    #expect(
      error.localizedDescription.hasPrefix(sentence) && error.localizedDescription.count > sentence.count + 10
    )
  }

  @Test func `a refused session is reported and nothing else is asked`() async {
    let transport = ScriptedSender { _ in .success((401, #"{"message":"Access Denied"}"#)) }
    guard case .requestFailed(401, _) = await failure(devices(transport)) else {
      Issue.record("not a refusal")
      return
    }
    #expect(transport.asked.count == 1)
  }

  @Test func `an unreachable server is a network error`() async {
    let transport = ScriptedSender { _ in .failure(NetworkError.networkUnavailable) }
    guard case .networkError(let error) = await failure(devices(transport)) else {
      Issue.record("not a network error")
      return
    }
    #expect(error as? NetworkError == .networkUnavailable)
  }

  @Test(arguments: ["", "[]", #"{"result":{}}"#, "not JSON", #"{"result":[],"result":[]}"#])
  func `an answer without a list was invalid instead of undecodable`(body: String) async {
    guard case .decodingFailed = await failure(devices(transport { _ in (200, body) })) else {
      Issue.record("accepted \(body)")
      return
    }
  }

  @Test(arguments: ["_id", "deviceId", "deviceName", "uuid", "createdDate", "lastAccessDate"])
  func `a record without a member names it`(member: String) async {
    let body = list.replacing(#""\#(member)":"#, with: #""other":"#)
    let error = await failure(devices(transport { _ in (200, body) }))
    guard case .decodingFailed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.localizedDescription.contains(member) == true)
  }

  @Test(arguments: ["", #""""#, "1", "{}"])
  func `a session without a user is invalid`(username: String) async {
    let member = username.isEmpty ? "" : #""username":\#(username)"#
    let transport = ScriptedSender { _ in .success((200, "{\(member)}")) }
    guard case .invalidResponse = await failure(devices(transport)) else {
      Issue.record("accepted \(username)")
      return
    }
  }

  @Test(arguments: ["example.com/am", "ftp://example.com", "https://", "https://example.com/am?x=1"])
  func `a wrong address is named`(url: String) async {
    let transport = transport { _ in (200, list) }
    guard case .invalidUrl(url) = await failure(devices(transport, serverUrl: url)) else {
      Issue.record("accepted \(url)")
      return
    }
    #expect(transport.asked.isEmpty)
  }

  @Test func `missing settings are named`() async {
    let transport = transport { _ in (200, list) }
    guard case .missingConfiguration = await failure(devices(transport, serverUrl: "")) else {
      Issue.record("accepted no address")
      return
    }
    guard case .missingConfiguration = await failure(devices(transport, cookieName: "")) else {
      Issue.record("accepted no cookie name")
      return
    }
    #expect(transport.asked.isEmpty)
  }

  @Test(arguments: ["", "a b", "a\r\nX-Evil: 1", "tökén"])
  func `a token that is none is not sent`(token: String) async {
    let transport = transport { _ in (200, list) }
    guard case .invalidToken = await failure(devices(transport, token: token)) else {
      Issue.record("accepted the token")
      return
    }
    #expect(transport.asked.isEmpty)
  }

  @Test(arguments: ["", ".", ".."])
  func `an id that would name another resource is not sent`(id: String) async {
    let transport = transport { _ in (200, "{}") }
    let device = BoundDevice(
      id: id, deviceName: "n", deviceId: "d", uuid: "u", createdDate: 0, lastAccessDate: 0)
    guard case .failure(.encodingFailed) = await devices(transport).delete(device) else {
      Issue.record("sent")
      return
    }
    #expect(!transport.asked.contains { $0.method == "DELETE" })
  }

  @Test(arguments: [false, true])
  func `the session's token went to any http address`(isAllowed: Bool) async throws {
    let transport = ScriptedSender { _ in .success((200, #"{"username":"mira","result":[]}"#)) }
    let client = DeviceClient(
      config: DeviceClientConfig(
        serverUrl: "http://example.com/am", ssoToken: "token", httpClient: transport,
        allowsInsecureHTTP: isAllowed))
    let result = await client.bound.get()
    if case .failure(.networkError(let error)) = result {
      #expect(error is InsecureAddressError)
      #expect(!isAllowed)
    }
    #expect(transport.asked.isEmpty == !isAllowed)
  }

  @Test func `the token is not printed`() {
    let config = DeviceClientConfig(serverUrl: "https://example.com/am", ssoToken: "very-secret")
    var dumped = ""
    dump(config, to: &dumped)
    #expect(!"\(config) \(String(reflecting: config)) \(dumped)".contains("very-secret"))
  }
}
