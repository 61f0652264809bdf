import CommonFixtures
import Foundation
import PingStorage
import PrivateFiles
import Testing

/// Lets others run between reading and writing.
private struct YieldingEncryptor: Encryptor {
  func encrypt(data: Data) async throws -> Data { data }

  func decrypt(data: Data) async throws -> Data {
    for _ in 0..<10 { await Task.yield() }
    return data
  }
}

@Suite("FileStorage")
struct FileStorageTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let storage: FileStorage<[String]>

  init() throws {
    folder = try TemporaryFolder.make()
    file = folder.file("store/list")
    storage = FileStorage(file: file)
  }

  @Test func `an item is saved read and deleted`() async throws {
    #expect(try await storage.get() == nil)
    try await storage.save(item: ["a"])
    try await storage.save(item: ["b"])
    #expect(try await FileStorage<[String]>(file: file).get() == ["b"])
    #expect(try mode(of: file) == 0o600)
    #expect(try mode(of: file.deletingLastPathComponent()) == 0o700)
    try await storage.delete()
    #expect(try await storage.get() == nil)
  }

  @Test func `deleting what is not there succeeds and creates nothing`() async throws {
    try await storage.delete()
    #expect(!FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path))
    try await storage.save(item: [])
    try await storage.delete()
    try await storage.delete()
  }

  // Weak point elsewhere: an unreadable store looked like an empty one, and the next save overwrote it.
  @Test(arguments: ["{", "null", #"{"not":"a list"}"#, ""])
  func `an unreadable file is an error that names it and is not overwritten`(content: String) async throws {
    try ProtectedFiles.createFolder(file.deletingLastPathComponent())
    try Data(content.utf8).write(to: file)
    let error = await #expect(throws: FileStorageError.self) { try await storage.get() }
    #expect(error?.errorDescription?.contains(file.path) == true)
    await #expect(throws: FileStorageError.self) { try await storage.update { $0 = ["new"] } }
    #expect(try Data(contentsOf: file) == Data(content.utf8))
  }

  @Test func `a file written with a key is an error without it and the other way round`() async throws {
    let encryptor = try SecuredKeyEncryptor(home: ClientHome(directory: folder.file("home")))
    let encrypted = FileStorage<[String]>(file: file, encryptor: encryptor)
    try await encrypted.save(item: ["secret"])
    #expect(try await encrypted.get() == ["secret"])
    #expect(try Data(contentsOf: file).range(of: Data("secret".utf8)) == nil)
    await #expect(throws: FileStorageError.self) { try await storage.get() }
    try await storage.save(item: ["clear"])
    await #expect(throws: FileStorageError.self) { try await encrypted.get() }
  }

  // Weak point elsewhere: list storage was read-modify-write without a lock, so two binds at once lost one.
  @Test func `updates through several storages lose nothing`() async throws {
    let file = file
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        let storage = FileStorage<[String]>(file: file, encryptor: YieldingEncryptor())
        for number in 0..<10 {
          group.addTask { try await storage.update { $0 = ($0 ?? []) + ["\(writer)-\(number)"] } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await storage.get().map(Set.init)?.count == 40)
  }

  @Test func `an update returns a result and nil forgets the item`() async throws {
    let count = try await storage.update { item in
      item = ["a", "b"]
      return item?.count ?? 0
    }
    #expect(count == 2)
    try await storage.update { $0 = nil }
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try await storage.update { #expect($0 == nil) }
  }

  @Test func `an update that throws changes nothing`() async throws {
    struct Failure: Error {}
    try await storage.save(item: ["a"])
    await #expect(throws: Failure.self) {
      try await storage.update { item in
        item = []
        throw Failure()
      }
    }
    #expect(try await storage.get() == ["a"])
  }

  @Test func `cleaning up works in a cancelled task`() async throws {
    try await storage.save(item: ["a"])
    let storage = storage
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await storage.delete()
    }
    try await task.value
    #expect(try await storage.get() == nil)
  }
}

@Suite("Keychain names on this platform")
struct KeychainTests {
  private let folder: TemporaryFolder
  private let home: ClientHome

  init() throws {
    folder = try TemporaryFolder.make()
    home = ClientHome(directory: folder.file("home"))
  }

  /// Has to compile: the published initialisers.
  private func initialisers() {
    _ = KeychainStorage<String>(account: "COOKIE_STORAGE")
    _ = KeychainStorage<String>(account: "COOKIE_STORAGE", encryptor: NoEncryptor(), cacheable: true)
    _ = Keychain<String>(account: "COOKIE_STORAGE")
    _ = MemoryStorage<String>(cacheable: true)
    _ = StorageDelegate<String>(delegate: Keychain(account: "ACCESS_TOKEN_STORAGE"))
  }

  @Test func `an item outlives the object`() async throws {
    try await KeychainStorage(account: "session", home: home).save(item: "token")
    #expect(try await KeychainStorage<String>(account: "session", home: home).get() == "token")
    #expect(try await KeychainStorage<String>(account: "other", home: home).get() == nil)
    #expect(try mode(of: home.directory.appendingPathComponent("storage/session")) == 0o600)
  }

  @Test func `accounts of any spelling are kept apart`() async throws {
    let long = String(repeating: "x", count: 300)
    let accounts = [
      "a/b", "a%2Fb", "a b", "../a", "..", ".", "", "/", "ü", "u\u{308}", long + "1", long + "2", "a\u{0}b",
    ]
    for account in accounts { try await Keychain<String>(account: account, home: home).save(item: account) }
    for account in accounts {
      #expect(
        try await Keychain<String>(account: account, home: home).get()?.unicodeScalars.elementsEqual(
          account.unicodeScalars) == true)
    }
    let names = try ProtectedFiles.names(in: home.directory.appendingPathComponent("storage"))
    #expect(names.count == accounts.count)
  }

  @Test(arguments: [KeychainError.unableToSave, .unableToRetrieve, .unableToDelete])
  func `errors speak for themselves`(error: KeychainError) {
    #expect(error.localizedDescription == error.errorMessage)
    #expect(error.errorMessage.contains("keychain"))
  }
}

@Suite("SecuredKeyEncryptor")
struct SecuredKeyEncryptorTests {
  private let folder: TemporaryFolder
  private let home: ClientHome
  private var keyFile: URL {
    home.directory.appendingPathComponent("secured-keys/com.sealring.securedKey.identifier")
  }

  init() throws {
    folder = try TemporaryFolder.make()
    home = ClientHome(directory: folder.file("home"))
  }

  @Test func `the key is kept for the owner alone`() async throws {
    let encrypted = try await SecuredKeyEncryptor(home: home).encrypt(data: Data("secret".utf8))
    #expect(try mode(of: keyFile) == 0o600)
    #expect(try await SecuredKeyEncryptor(home: home).decrypt(data: encrypted) == Data("secret".utf8))
  }

  @Test func `changed data are refused`() async throws {
    let encryptor = try SecuredKeyEncryptor(home: home)
    var encrypted = try await encryptor.encrypt(data: Data("secret".utf8))
    encrypted[encrypted.count - 1] ^= 1
    let changed = encrypted
    await #expect(throws: EncryptorError.failedToDecrypt) { try await encryptor.decrypt(data: changed) }
    await #expect(throws: EncryptorError.failedToDecrypt) { try await encryptor.decrypt(data: Data()) }
  }

  // Weak point elsewhere: a missing key fell back to clear text without a word.
  @Test func `an unreadable key is an error and is not replaced`() async throws {
    _ = try home.folder("secured-keys")
    try Data([1, 2, 3]).write(to: keyFile)
    #expect(throws: FileStorageError.self) { try SecuredKeyEncryptor(home: home) }
    #expect(try Data(contentsOf: keyFile) == Data([1, 2, 3]))
  }

  @Test(arguments: [EncryptorError.failedToEncrypt, .failedToDecrypt])
  func `errors speak for themselves`(error: EncryptorError) {
    #expect(error.localizedDescription == error.errorMessage)
    #expect(error.errorMessage.contains("crypted"))
  }

  @Test func `errors of storages had neither reason nor advice`() {
    let errors: [any LocalizedError] = [
      KeychainError.unableToSave, KeychainError.unableToRetrieve, KeychainError.unableToDelete,
      EncryptorError.failedToEncrypt, EncryptorError.failedToDecrypt,
      FileStorageError.unreadable(path: "p", reason: "r"),
      FileStorageError.unwritable(path: "p", reason: "r"),
      FileStorageError.unprotected(path: "p", reason: "r"), FileStorageError.exists(path: "p"),
      FileStorageError.locked(path: "p"),
    ]
    for error in errors {
      #expect(error.failureReason?.isEmpty == false)
      #expect(error.recoverySuggestion?.isEmpty == false)
    }
  }
}
