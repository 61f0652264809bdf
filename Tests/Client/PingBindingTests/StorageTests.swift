import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import PingStorage
import PrivateFiles
import Testing

@testable import PingBinding

@Suite struct StorageTests {
  let folder = TemporaryFolder()

  /// A device whose keys and descriptions are files in the folder.
  func fileDevice() throws -> BindingDevice {
    var device = BindingDevice()
    device.keyStore = try SoftwareKeyStore(
      directory: folder.url.appendingPathComponent("keys"), scrypt: ScryptCost(rounds: 16))
    device.storage = FileStorage<[UserKey]>(file: folder.url.appendingPathComponent("userkeys"))
    return device
  }

  func configuration(_ device: BindingDevice) -> UserKeyStorageConfig {
    UserKeyStorageConfig(storage: device.storage)
  }

  @Test func `an unreadable storage is named and nothing is overwritten`() async throws {
    let device = try fileDevice()
    await device.bind()
    let file = folder.url.appendingPathComponent("userkeys")
    let damaged = Data("[{\"half".utf8)
    try damaged.write(to: file)
    let tags = try await device.privateKeyTags

    for outcome in [await device.bind(), await device.sign()] {
      #expect(outcome.status?.clientError == "Unsupported")
      #expect(try #require(outcome.status?.errorMessage).contains(file.path))
    }
    await #expect(throws: FileStorageError.self) { try await device.keys }
    await #expect(throws: FileStorageError.self) {
      try await BindingModule.deleteAllKeys(userKeyStorage: configuration(device), keyStore: device.keyStore)
    }
    #expect(try Data(contentsOf: file) == damaged)
    #expect(try await device.privateKeyTags == tags)
  }

  @Test func `an unreadable key is named and keeps no other from signing`() async throws {
    let device = try fileDevice()
    await device.bind()
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.url.appendingPathComponent("keys").path)
    let name = try #require(names.first { $0.hasSuffix(".key") })
    let file = folder.url.appendingPathComponent("keys/\(name)")
    try Data("damaged".utf8).write(to: file)
    await device.bind(bindingCallback(user: "id=babs"))

    let outcome = await device.sign(signingCallback(user: mira))
    #expect(try #require(outcome.status?.errorMessage).contains(file.path))
    _ = try await device.sign(signingCallback(user: "id=babs")).token()
    #expect(try Data(contentsOf: file) == Data("damaged".utf8))
    // Binding again is the way out.
    await device.bind()
    _ = try await device.sign(signingCallback(user: mira)).token()
  }

  @Test(arguments: [true, false])
  func `binds at the same time lose nothing`(inFiles: Bool) async throws {
    var device = try fileDevice()
    if !inFiles { device.storage = PlainStorage() }
    await withTaskGroup(of: Void.self) { [device] group in
      for user in 0..<8 {
        group.addTask {
          let outcome = await device.bind(bindingCallback(user: "id=\(user)", username: "\(user)"))
          #expect(outcome.status == nil)
        }
      }
    }
    #expect(Set(try await device.keys.map(\.username)) == Set((0..<8).map { "\($0)" }))
    try await device.expectNothingLeftOver(count: 8)
  }

  @Test func `binds of one user at the same time end with one working key`() async throws {
    let device = try fileDevice()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<6 { group.addTask { #expect(await device.bind().status == nil) } }
    }
    try await device.expectNothingLeftOver(count: 1)
    _ = try await device.sign().token()
  }

  @Test func `deleting a key touches that key alone`() async throws {
    let device = try fileDevice()
    for user in ["id=a", "id=b"] { await device.bind(bindingCallback(user: user)) }
    let key = try #require(try await device.keys.first { $0.userId == "id=a" })
    for _ in 1...2 {
      try await BindingModule.deleteKey(key, userKeyStorage: configuration(device), keyStore: device.keyStore)
    }
    #expect(try await device.keys.map(\.userId) == ["id=b"])
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `deleting all keys is idempotent`() async throws {
    let device = try fileDevice()
    for user in ["id=a", "id=b"] { await device.bind(bindingCallback(user: user)) }
    for _ in 1...2 {
      try await BindingModule.deleteAllKeys(userKeyStorage: configuration(device), keyStore: device.keyStore)
      try await device.expectNothingLeftOver(count: 0)
    }
  }

  @Test func `an authenticator deletes its own user's keys only`() async throws {
    let device = try fileDevice()
    for user in ["id=a", "id=b"] { await device.bind(bindingCallback(user: user)) }
    let config = DeviceBindingConfig()
    device.configure(config)
    let setup = BindingDependencies(
      config: config, prompt: AppPinConfig.defaultPrompt, journey: nil, timeout: 60, defaultTimeout: 60)
    let authenticator = try await setup.authenticator(
      type: .none, userID: "id=a", keyStore: device.keyStore, isBinding: false)
    try await authenticator.deleteKeys()
    #expect(await device.sign(signingCallback(user: "id=a")).status == .clientNotRegistered)
    #expect(await device.sign(signingCallback(user: "id=b")).status == nil)
  }

  @Test func `by default descriptions are encrypted in the home`() async throws {
    #if !canImport(Security)
      var device = BindingDevice()
      let home = ClientHome(directory: folder.url)
      device.keyStore = try SoftwareKeyStore(home: home)
      device.storage = UserKeyStorageConfig(home: home).storage
      await device.bind(bindingCallback(username: "mira-in-clear"))
      // As after a restart.
      device.storage = UserKeyStorageConfig(home: home).storage
      #expect(try await device.keys.map(\.username) == ["mira-in-clear"])
      _ = try await device.sign().token()
      let files = try #require(
        FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil))
      for case let file as URL in files where !file.hasDirectoryPath {
        let content = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(!content.contains("mira"), "\(file.path)")
      }
    #endif
  }

  @Test func `descriptions keep their published form`() throws {
    let key = UserKey(
      keyTag: "t", userId: "u", username: "n", kid: "k", authType: .applicationPin,
      createdAt: Date(timeIntervalSince1970: 1_767_225_600))
    let object = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(key)) as? [String: Any])
    #expect(Set(object.keys) == ["keyTag", "userId", "username", "kid", "authType", "createdAt"])
    #expect(try JSONDecoder().decode(UserKey.self, from: JSONEncoder().encode(key)) == key)
  }

  @Test func `a process of another container is not taken for dead`() async throws {
    let device = BindingDevice()
    let now = Date()
    var key = UserKey(keyTag: "t", userId: mira, username: "", kid: "k", authType: .none)
    key.state = .pending(processID: .max, until: now + 60)
    key.worker = ProcessMark(processID: .max, namespace: "pid:[1] another boot", start: nil)
    var earlier = UserKey(keyTag: "e", userId: mira, username: "", kid: "e", authType: .none)
    earlier.state = key.state
    try await device.storage.save(item: [key, earlier])
    let storage = UserKeysStorage(config: configuration(device))
    #expect(try await storage.leftovers(now: now).isEmpty)
    #expect(try await storage.leftovers(now: now + 61).count == 2)
  }

  @Test func `a process that has the number of a dead one is another`() {
    #expect(!ProcessMark.own.hasEnded)
    let earlier = ProcessMark(
      processID: ProcessMark.own.processID, namespace: ProcessMark.own.namespace, start: "1")
    #expect(earlier.hasEnded == (ProcessMark.own.start != nil))
  }

  @Test func `keys that other processes are making are left alone`() async throws {
    let device = BindingDevice()
    let now = Date()
    let storage = UserKeysStorage(config: configuration(device))
    func pending(_ kid: String, process: Int32, until: Date) -> UserKey {
      var key = UserKey(keyTag: kid, userId: mira, username: "", kid: kid, authType: .none)
      key.state = .pending(processID: process, until: until)
      key.worker = ProcessMark(processID: process, namespace: ProcessMark.own.namespace, start: nil)
      return key
    }
    // Process 1 always runs; none has the highest number.
    try await device.storage.save(item: [
      pending("running", process: 1, until: now + 60), pending("late", process: 1, until: now - 1),
      pending("dead", process: .max, until: now + 60),
    ])
    #expect(try await storage.leftovers(now: now).map(\.kid) == ["late", "dead"])
    #expect(try await storage.findAll().isEmpty)
    await #expect(throws: DeviceBindingError.self) { try await storage.commit(kid: "gone") }
  }
}

/// A storage as apps write it, which cannot be updated in one step.
private final class PlainStorage: Storage {
  private let item = Locked<[UserKey]?>(nil)

  func save(item: [UserKey]) async throws {
    await Task.yield()
    self.item.withLock { $0 = item }
  }
  func get() async throws -> [UserKey]? {
    await Task.yield()
    return item.withLock { $0 }
  }
  func delete() async throws { item.withLock { $0 = nil } }
}
