import Concurrency
import Foundation
import PingDeviceClient
import PingNetwork
import PingOrchestrate
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client as apps write it to pin certificates or to test: a subclass.
private final class PinningClient: PingOrchestrate.HttpClient, @unchecked Sendable {
  private let log = Locked<[URLRequest]>([])
  private let answer: String
  var requests: [URLRequest] { log.withLock { $0 } }

  init(_ answer: String) {
    self.answer = answer
    super.init { _ in throw NetworkError.networkUnavailable }
  }

  override func sendRequest(request: Request) async throws -> (Data, URLResponse) {
    let sent = request.urlRequest
    log.withLock { $0.append(sent) }
    let url = try #require(sent.url)
    let head = try #require(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:]))
    let body = url.query?.contains("getSessionInfo") == true ? #"{"username":"mira"}"# : answer
    return (Data(body.utf8), head)
  }
}

/// A kind of devices that this library does not know.
private struct Badge: Device, Equatable {
  let id: String
  var deviceName: String
  var urlSuffix: String { "devices/badges" }
  let colour: String

  enum CodingKeys: String, CodingKey {
    case id = "_id"
    case deviceName = "label"
    case colour
  }
}

/// A repository as an app's test has it: a class that is not Sendable, of things that are not a devices.
private class Shelf: DeviceRepository {
  var items: [Int] = [1]
  func get() async -> Result<[Int], DeviceError> { .success(items) }
  func delete(_ device: Int) async -> Result<Int, DeviceError> { .success(device) }
  func update(_ device: Int) async -> Result<Int, DeviceError> { .success(device) }
}

private struct NoDevices<T>: DeviceRepository {
  func get() async -> Result<[T], DeviceError> { .success([]) }
  func delete(_ device: T) async -> Result<T, DeviceError> { .success(device) }
  func update(_ device: T) async -> Result<T, DeviceError> { .success(device) }
}

/// A client that an app has made a subclass of.
private final class CountingClient: DeviceClient, @unchecked Sendable {
  override var push: any DeviceRepository<PushDevice> {
    get { NoDevices() }
    set {}
  }
}

@Suite("The device client as the published declarations have it")
struct PublishedShapeTests {
  @Test func `the HTTP client was another type, so that an app's pinning client did not fit`() async throws {
    let pinning = PinningClient(#"{"result":[]}"#)
    let config = DeviceClientConfig(
      serverUrl: "https://example.com/am", ssoToken: "token", httpClient: pinning)
    #expect(config.realm == DeviceClientConstants.defaultRealm && config.realm == "root")
    #expect(config.cookieName == DeviceClientConstants.defaultCookieName)
    #expect(config.cookieName == "iPlanetDirectoryPro")
    #expect(try await DeviceClient(config: config).oath.get().get().isEmpty)
    #expect(pinning.requests.map(\.httpMethod) == ["POST", "GET"])
    #expect(pinning.requests.allSatisfy { $0.value(forHTTPHeaderField: "iPlanetDirectoryPro") == "token" })
    #expect(
      pinning.requests.allSatisfy {
        $0.value(forHTTPHeaderField: "x-requested-platform") == NetworkConstants.requestedPlatformValue
      })
  }

  @Test func `a client over http keeps the token on this machine, whoever sends`() async {
    let pinning = PinningClient(#"{"result":[]}"#)
    let client = DeviceClient(
      config: DeviceClientConfig(
        serverUrl: "http://example.com/am", ssoToken: "token", httpClient: pinning))
    guard case .failure(.networkError(let error)) = await client.oath.get() else {
      Issue.record("sent")
      return
    }
    #expect(error is InsecureAddressError && pinning.requests.isEmpty)
  }

  @Test func `DeviceRepositoryImplementation was missing: an app's own kind of devices could not be listed`()
    async throws
  {
    let record = #"{"_id":"7","label":"Gate","colour":"red"}"#
    let listing = PinningClient(#"{"result":[\#(record)]}"#)
    func badges(_ sender: PinningClient) -> DeviceRepositoryImplementation<Badge> {
      DeviceRepositoryImplementation(
        endpoint: "devices/badges",
        deviceClient: DeviceClient(
          config: DeviceClientConfig(
            serverUrl: "https://example.com/am", ssoToken: "token", httpClient: sender)))
    }
    var badge = try #require(try await badges(listing).get().get().first)
    #expect(badge == Badge(id: "7", deviceName: "Gate", colour: "red"))

    badge.deviceName = "Door"
    let changing = PinningClient(#"{"_id":"7","label":"Door","colour":"red"}"#)
    #expect(try await badges(changing).update(badge).get() == badge)
    let put = try #require(changing.requests.last)
    #expect(put.httpMethod == "PUT")
    #expect(put.url?.path == "/am/json/realms/root/users/mira/devices/badges/7")
    let sent = try JSONDecoder().decode(Badge.self, from: try #require(put.httpBody))
    #expect(sent == badge)
  }

  @Test
  func `repositories could not be replaced, nor be classes of an app's own, nor the client be subclassed`()
    async throws
  {
    let client = DeviceClient(config: DeviceClientConfig(serverUrl: "", ssoToken: ""))
    client.bound = NoDevices()
    client.oath = NoDevices()
    client.webAuthn = NoDevices()
    client.profile = NoDevices()
    client.push = NoDevices()
    #expect(try await client.bound.get().get().isEmpty)
    #expect(try await client.push.get().get().isEmpty)
    let own = CountingClient(config: DeviceClientConfig(serverUrl: "", ssoToken: ""))
    #expect(try await own.push.get().get().isEmpty)
    #expect(try await Shelf().get().get() == [1])
  }

  @Test func `a location was nested in the profile, and dropped when it lacked one of its numbers`() throws {
    let record = #"""
      {"_id":"1","alias":"n","identifier":"i","location":{"latitude":51.5},"lastSelectedDate":0}
      """#
    let device = try JSONDecoder().decode(ProfileDevice.self, from: Data(record.utf8))
    let location: Location? = device.location
    #expect(location == Location(latitude: 51.5, longitude: nil))
    let made = ProfileDevice(
      id: "1", deviceName: "n", identifier: "i", location: location, lastSelectedDate: 0)
    #expect(try JSONDecoder().decode(ProfileDevice.self, from: JSONEncoder().encode(made)) == made)
  }

  @Test(
    arguments: [
      DeviceError.networkError(error: NetworkError.timeout),
      .requestFailed(statusCode: 401, message: "m"), .requestFailed(statusCode: 403, message: "m"),
      .requestFailed(statusCode: 404, message: "m"), .requestFailed(statusCode: 500, message: "m"),
      .requestFailed(statusCode: 400, message: "m"), .invalidUrl(url: "u"),
      .decodingFailed(error: NetworkError.timeout), .encodingFailed(message: "m"),
      .invalidResponse(message: "m"), .invalidToken(message: "m"), .missingConfiguration(message: "m"),
    ])
  func `errors had neither reason nor advice`(error: DeviceError) {
    #expect(error.errorDescription?.isEmpty == false)
    #expect(error.failureReason?.isEmpty == false)
    #expect(error.recoverySuggestion?.isEmpty == false)
  }

  @Test func `a cookie name that is not a header's name is not sent`() async {
    let pinning = PinningClient(#"{"result":[]}"#)
    let client = DeviceClient(
      config: DeviceClientConfig(
        serverUrl: "https://example.com/am", cookieName: "a: b", ssoToken: "token", httpClient: pinning))
    guard case .failure(.missingConfiguration) = await client.bound.get() else {
      Issue.record("sent")
      return
    }
    #expect(pinning.requests.isEmpty)
  }
}
