import DeviceKeys
import Foundation
import PingBinding
import PingDeviceClient
import PingJourney
import PingLogger
import PingNetwork
import PingOrchestrate
import PingStorage
import SealringTesting
import Testing

/// Unbinding against real servers: what each answer means, and what is left afterwards.
@Suite struct UnbindTests {
  private static let password = "Correct horse battery 1"

  /// A server with mira and noor, and a device that mira is bound to without PIN.
  private func withBoundDevice(
    _ body: @escaping @Sendable (TestServer, TestDevice, UserKey) async throws -> Void
  ) async throws {
    try await TestServer.run { server in
      for name in ["mira", "noor"] { try await server.addUser(name, password: Self.password) }
      let device = TestDevice()
      let bound = await device.play("BindDeviceNoPin", on: server, as: "mira", password: Self.password)
      #expect(bound.isSuccess)
      try await body(server, device, try #require(try await device.boundKeys().first))
    }
  }

  private func signIn(_ username: String, on server: TestServer, realm: String = "alpha") async throws
    -> String
  {
    let password = username == "amAdmin" ? TestServer.administratorPassword : Self.password
    let outcome = await TestDevice().play("Login", on: server, realm: realm, as: username, password: password)
    return try #require(outcome.token)
  }

  private func client(_ address: String, token: String, realm: String = "alpha") -> DeviceClient {
    DeviceClient(
      config: DeviceClientConfig(
        serverUrl: address, realm: realm, ssoToken: token,
        httpClient: HttpClient.createClient { $0.logger = LogManager.none }))
  }

  /// The status with which the server kept its record.
  private func refusal(_ error: UnbindingError?) -> Int? {
    guard case .kept(DeviceError.requestFailed(let status, _)) = error?.record else { return nil }
    return status
  }

  @Test func `the record and the key are deleted, and the device does not sign in any more`() async throws {
    try await withBoundDevice { server, device, key in
      let client = client(server.address, token: try await signIn("mira", on: server))
      #expect(try await device.unbind(key, on: client) == .deleted)
      #expect(try await server.devices(of: "mira").isEmpty)
      #expect(try await device.userKeys.get() ?? [] == [])
      #expect(try await device.keyStore.keys().isEmpty)
      #expect(
        await device.play("SignIn", on: server).statuses.map(\.clientError) == ["ClientNotRegistered"])
      #expect(try await device.unbind(key, on: client) == .alreadyGone, "a second call is safe")
    }
  }

  @Test func `an administrator may unbind somebody else's device`() async throws {
    try await withBoundDevice { server, device, key in
      let token = try await signIn("amAdmin", on: server, realm: "root")
      #expect(try await device.unbind(key, on: client(server.address, token: token)) == .deleted)
      #expect(try await server.devices(of: "mira").isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func `401: a session that has ended keeps the record`(force: Bool) async throws {
    try await withBoundDevice { server, device, key in
      let error = await device.unbindingError(
        key, on: client(server.address, token: "no-session"), force: force)
      #expect(refusal(error) == 401)
      #expect(error?.localizedDescription.contains("Sign in again") == true)
      #expect(error?.isKeyDeleted == force)
      #expect(try await server.devices(of: "mira").count == 1)
      let keys = try await device.boundKeys()
      #expect(keys.isEmpty == force)
      #expect(await device.play("SignIn", on: server).isSuccess == !force)
    }
  }

  @Test(arguments: [false, true])
  func `403: another user's session keeps the record, and does not look like a missing one`(force: Bool)
    async throws
  {
    try await withBoundDevice { server, device, key in
      let client = client(server.address, token: try await signIn("noor", on: server))
      let error = await device.unbindingError(key, on: client, force: force)
      #expect(refusal(error) == 403)
      #expect(error?.isKeyDeleted == force)
      #expect(try await server.devices(of: "mira").count == 1)
      let keys = try await device.boundKeys()
      #expect(keys.isEmpty == force)
    }
  }

  @Test func `404: a record that somebody else deleted counts as deleted`() async throws {
    try await withBoundDevice { server, device, key in
      let client = client(server.address, token: try await signIn("mira", on: server))
      let record = try #require(try await client.bound.get().get().first)
      _ = try await client.bound.delete(record).get()
      #expect(try await device.unbind(key, on: client) == .alreadyGone)
      #expect(try await device.keyStore.keys().isEmpty)
    }
  }

  @Test(arguments: ["root", "beta"])
  func `404 for another reason does not: the wrong realm keeps record and key`(realm: String) async throws {
    try await withBoundDevice { server, device, key in
      let token = try await signIn("mira", on: server)
      let error = await device.unbindingError(
        key, on: Elsewhere(client: client(server.address, token: token, realm: realm)), force: false)
      #expect([401, 403, 404].contains(refusal(error)))
      #expect(try await device.boundKeys() == [key])
      #expect(try await server.devices(of: "mira").count == 1)
    }
  }

  @Test(arguments: [(500, false), (500, true), (503, false), (404, false), (404, true), (302, false)])
  func `a server that fails keeps the record`(status: Int, force: Bool) async throws {
    try await withBoundDevice { server, device, key in
      try await FixedAnswerServer.run(status: status) { address in
        let error = await device.unbindingError(
          key, on: Elsewhere(client: client(address, token: "token")), force: force)
        #expect(refusal(error) == status)
        #expect(error?.isKeyDeleted == force)
      }
      // With the server back, the same call completes it, also when the key had to go before.
      let restored = client(server.address, token: try await signIn("mira", on: server))
      #expect(try await device.unbind(key, on: restored) == .deleted)
      #expect(try await device.keyStore.keys().isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func `no network keeps the record`(force: Bool) async throws {
    try await withBoundDevice { server, device, key in
      let error = await device.unbindingError(
        key, on: Elsewhere(client: client("http://127.0.0.1:1/am", token: "token")), force: force)
      guard case .kept(DeviceError.networkError) = error?.record else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.isKeyDeleted == force)
      let keys = try await device.boundKeys()
      #expect(keys.isEmpty == force)
      #expect(try await server.devices(of: "mira").count == 1)
    }
  }

  @Test func `the other kinds of devices are empty lists, and their records unknown`() async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let client = client(server.address, token: try await signIn("mira", on: server))
      #expect(try await client.push.get().get().isEmpty)
      #expect(try await client.oath.get().get().isEmpty)
      #expect(try await client.webAuthn.get().get().isEmpty)
      #expect(try await client.profile.get().get().isEmpty)
      let device = OathDevice(id: "1", deviceName: "n", uuid: "1", createdDate: 0, lastAccessDate: 0)
      for result in [await client.oath.update(device), await client.oath.delete(device)] {
        guard case .failure(.requestFailed(404, _)) = result else {
          Issue.record("\(result)")
          continue
        }
      }
    }
  }
}

/// A client that does not say where it is, as an app's own: a proxy's address is not the server's.
private struct Elsewhere: DeviceUnbinding {
  let client: DeviceClient

  func deleteRecord(of key: UserKey) async throws -> Bool { try await client.deleteRecord(of: key) }
}

extension TestDevice {
  fileprivate func boundKeys() async throws -> [UserKey] {
    try await BindingModule.getAllKeys(userKeyStorage: UserKeyStorageConfig(storage: userKeys))
  }

  fileprivate func unbind(
    _ key: UserKey, on server: any DeviceUnbinding, force: Bool = false
  ) async throws(UnbindingError) -> UnbindingResult {
    try await BindingModule.unbind(
      key, on: server, forceDelete: force, userKeyStorage: UserKeyStorageConfig(storage: userKeys),
      keyStore: keyStore)
  }

  fileprivate func unbindingError(_ key: UserKey, on server: any DeviceUnbinding, force: Bool) async
    -> UnbindingError?
  {
    do {
      _ = try await unbind(key, on: server, force: force)
      return nil
    } catch {
      return error
    }
  }
}
