import CommonFixtures
import Concurrency
import Foundation
import PingStorage
import Testing

@testable import PrivateFiles

/// An application's own home, and what becomes of the state that an earlier version kept in the command line's.
@Suite("An application's home")
struct HomeTakeoverTests {
  private let folder: TemporaryFolder
  private let reports = Locked<[String]>([])

  init() throws { folder = try TemporaryFolder.make() }

  private var shared: ClientHome { ClientHome(directory: folder.file("sealring")) }

  private func takeover(by application: String) -> HomeTakeover {
    HomeTakeover(shared: shared, application: application) { [reports] text in
      reports.withLock { $0.append(text) }
    }
  }

  private func write(_ text: String, to path: String) throws {
    try folder.write(Array(text.utf8), to: "sealring/" + path)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: shared.directory.path)
  }

  private func text(_ path: String, in home: ClientHome) -> String? {
    (try? Data(contentsOf: home.directory.appending(path: path))).map { String(decoding: $0, as: UTF8.self) }
  }

  private func state() throws {
    try write("key", to: "keys/a.key")
    try write("credential", to: "push/push.sqlite")
    try write("log", to: "push/push.sqlite-wal")
    try write("index", to: "push/push.sqlite-shm")
    try write("old key", to: "com.forgerock.ios.devicebinding.keychainservice/a.json")
    try write("users", to: "server/sealring.sqlite")
  }

  @Test func `the first application gets a copy, whole and private`() throws {
    try state()
    let home = try takeover(by: "wallet").takenOver()
    #expect(home.directory.path.hasSuffix("sealring/apps/wallet"))
    #expect(text("keys/a.key", in: home) == "key")
    #expect(text("push/push.sqlite", in: home) == "credential")
    #expect(text("push/push.sqlite-wal", in: home) == "log")
    #expect(text("com.forgerock.ios.devicebinding.keychainservice/a.json", in: home) == "old key")
    #expect(text("push/push.sqlite-shm", in: home) == nil)
    #expect(text("server/sealring.sqlite", in: home) == nil)
    #expect(try mode(of: home.directory) == 0o700)
    #expect(try mode(of: home.directory.appending(path: "keys/a.key")) == 0o600)
    #expect(reports.withLock { $0.count } == 1)
  }

  @Test func `the command line keeps what it has`() throws {
    try state()
    _ = try takeover(by: "wallet").takenOver()
    #expect(text("keys/a.key", in: shared) == "key" && text("push/push.sqlite", in: shared) == "credential")
  }

  @Test func `a second application gets nothing of it`() throws {
    try state()
    _ = try takeover(by: "wallet").takenOver()
    let other = try takeover(by: "approver").takenOver()
    #expect(other.directory.lastPathComponent == "approver")
    #expect(!FileManager.default.fileExists(atPath: other.directory.path))
  }

  @Test func `it happens once: what was deleted since does not come back`() throws {
    try state()
    let home = try takeover(by: "wallet").takenOver()
    try FileManager.default.removeItem(at: home.directory.appending(path: "keys/a.key"))
    #expect(text("keys/a.key", in: home) == nil)
    #expect(try takeover(by: "wallet").takenOver() == home)
    try FileManager.default.removeItem(at: home.directory)
    #expect(try takeover(by: "wallet").takenOver() == home)
    #expect(text("keys/a.key", in: home) == nil)
    #expect(reports.withLock { $0.count } == 1)
  }

  @Test func `a copy that was interrupted is made again, by the same application`() throws {
    try state()
    try write("half", to: "apps/.wallet.tmp/keys/b.key")
    try write("wallet", to: ".taken-over")
    let other = try takeover(by: "approver").takenOver()
    #expect(!FileManager.default.fileExists(atPath: other.directory.path))
    let home = try takeover(by: "wallet").takenOver()
    #expect(text("keys/a.key", in: home) == "key" && text("keys/b.key", in: home) == nil)
  }

  @Test func `of many at once one takes it, and all of that application find all of it`() async throws {
    try state()
    let homes = try await withThrowingTaskGroup(of: (String, Bool).self) { group in
      for number in 0..<12 {
        let name = number.isMultiple(of: 2) ? "wallet" : "approver"
        group.addTask {
          let home = try takeover(by: name).takenOver()
          return (name, text("keys/a.key", in: home) == "key" && text("push/push.sqlite", in: home) != nil)
        }
      }
      return try await group.reduce(into: [String: Set<Bool>]()) { $0[$1.0, default: []].insert($1.1) }
    }
    #expect(Set(homes.values) == [[true], [false]])
    #expect(reports.withLock { $0.count } == 1)
  }

  @Test func `links are not followed`() throws {
    try state()
    try folder.write(Array("secret".utf8), to: "elsewhere/secret")
    try FileManager.default.createSymbolicLink(
      at: shared.directory.appending(path: "keys/link"), withDestinationURL: folder.file("elsewhere/secret"))
    let home = try takeover(by: "wallet").takenOver()
    #expect(text("keys/link", in: home) == nil && text("keys/a.key", in: home) == "key")
  }

  @Test func `a test's program does not take it in the application's place`() throws {
    try state()
    let home = try takeover(by: "WalletPackageTests.xctest").takenOver()
    #expect(!FileManager.default.fileExists(atPath: home.directory.path))
    let own = try takeover(by: "wallet").takenOver()
    #expect(text("keys/a.key", in: own) == "key")
  }

  @Test func `what cannot be copied is used where it is, and that is said`() throws {
    try state()
    // In the place of the folder.
    try write("not a folder", to: "apps")
    #expect(takeover(by: "wallet").home() == shared)
    #expect(reports.withLock { $0.first?.contains("could not be copied") } == true)
  }

  @Test(arguments: ["../../elsewhere", "a/b", "..", ""])
  func `a name never leads out of the folder`(name: String) throws {
    let home = try takeover(by: name).takenOver()
    #expect(
      home.directory.deletingLastPathComponent().path == shared.directory.appending(path: "apps").path)
  }

  @Test func `nothing is made where nothing was`() throws {
    _ = try takeover(by: "wallet").takenOver()
    #expect(!FileManager.default.fileExists(atPath: shared.directory.path))
  }

  // MARK: In processes of their own

  #if !canImport(Security)
    /// Tokens, sessions, keys and push credentials all lie there.
    @Test func `two applications of one user shared everything`() async throws {
      let path = folder.url.path
      await #expect(processExitsWith: .success) { [path = path as String] in
        unsetenv("SEALRING_HOME")
        setenv("XDG_DATA_HOME", path, 1)
        ClientHome.application = "com.example.bank"
        try await KeychainStorage<String>(account: "session").save(item: "of the bank")
      }
      await #expect(processExitsWith: .success) { [path = path as String] in
        unsetenv("SEALRING_HOME")
        setenv("XDG_DATA_HOME", path, 1)
        ClientHome.application = "com.example.shop"
        #expect(try await KeychainStorage<String>(account: "session").get() == nil)
        try await KeychainStorage<String>(account: "session").delete()
      }
      await #expect(processExitsWith: .success) { [path = path as String] in
        unsetenv("SEALRING_HOME")
        setenv("XDG_DATA_HOME", path, 1)
        ClientHome.application = "com.example.bank"
        let kept = try await KeychainStorage<String>(account: "session").get()
        #expect(kept == "of the bank")
      }
    }
  #endif

  @Test func `the command line's home is what its contract says`() async throws {
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      unsetenv("SEALRING_HOME")
      setenv("XDG_DATA_HOME", path, 1)
      #expect(ClientHome.standard.directory.path.hasPrefix(path + "/sealring/apps/"))
      ClientHome.useCommandLine()
      #expect(ClientHome.standard.directory.path == path + "/sealring")
      setenv("SEALRING_HOME", path + "/chosen", 1)
      #expect(ClientHome.standard.directory.path == path + "/chosen")
      ClientHome.application = "wallet"
      #expect(ClientHome.standard.directory.path == path + "/chosen")
    }
  }
}
