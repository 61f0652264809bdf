import CommonFixtures
import Concurrency
import Foundation
import Testing

@testable import PrivateFiles

@Suite("Protected files")
struct ProtectedFilesTests {
  private let folder: TemporaryFolder
  private let file: URL

  init() throws {
    folder = try TemporaryFolder.make()
    file = folder.file("item")
  }

  @Test func `folders are created for their owner alone`() throws {
    let inner = folder.url.appendingPathComponent("a/b")
    try ProtectedFiles.createFolder(inner)
    #expect(try mode(of: inner) == 0o700)
    #expect(try mode(of: inner.deletingLastPathComponent()) == 0o700)
    try ProtectedFiles.createFolder(inner)
  }

  @Test func `a folder that others may read is tightened`() throws {
    // In a folder of our own: in a shared one, such as /tmp, it is refused.
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    let inner = folder.file("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: inner.path)
    try ProtectedFiles.createFolder(inner)
    #expect(try mode(of: inner) == 0o700)
  }

  @Test func `a link in the folder's place is refused and its target left alone`() throws {
    let (target, link) = (folder.file("victim"), folder.file("link"))
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: target.path)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    #expect(throws: FileStorageError.unprotected(path: link.path, reason: "it is a link")) {
      try ProtectedFiles.createFolder(link)
    }
    #expect(try mode(of: target) == 0o755)
  }

  @Test func `a folder among everybody's files is not tightened`() throws {
    let shared = folder.file("tmp")
    try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: shared.path)
    let open = shared.appendingPathComponent("mine")
    try FileManager.default.createDirectory(at: open, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: open.path)
    #expect(throws: FileStorageError.unprotected(path: open.path, reason: "other users may enter it")) {
      try ProtectedFiles.createFolder(open)
    }
    #expect(try mode(of: open) == 0o755)
    try ProtectedFiles.createFolder(shared.appendingPathComponent("new"))
    #expect(try mode(of: shared.appendingPathComponent("new")) == 0o700)
  }

  // It is not tried on the machine's own.
  @Test(
    arguments: [
      ("/", true), ("/run", true), ("/etc", true), ("/usr/../tmp", true), ("/etc/ssl", true),
      ("/var/lib/", true), ("/home", true),
      ("/root", false), ("/home/mira", false), ("/srv/witness", false), ("/var/lib/sealring", false),
      ("/run/user/1000", false), ("/data", false),
    ])
  func `a folder of the system's is not tightened`(path: String, isSystems: Bool) {
    #expect(ProtectedFiles.isSystems(URL(filePath: path)) == isSystems)
  }

  @Test func `root takes no folder of somebody else's from a temporary folder`() throws {
    // Only root can give a folder away.
    guard geteuid() == 0 else { return }
    let shared = folder.file("tmp")
    try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: shared.path)
    let squatted = shared.appendingPathComponent("squatted")
    try ProtectedFiles.createFolder(squatted)
    #expect(chown(squatted.path, 65_534, 65_534) == 0)
    #expect(throws: FileStorageError.unprotected(path: squatted.path, reason: "it belongs to another user")) {
      try ProtectedFiles.createFolder(squatted)
    }
    let draft = shared.appendingPathComponent(".secret.tmp")
    try Data().write(to: draft)
    #expect(chown(draft.path, 65_534, 65_534) == 0)
    #expect(throws: FileStorageError.self) {
      try ProtectedFiles.replace(shared.appendingPathComponent("secret"), with: [1])
    }
  }

  @Test func `a folder that everybody may write to is refused and left alone`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
    #expect(throws: FileStorageError.unprotected(path: folder.url.path, reason: "every user may write to it"))
    {
      try ProtectedFiles.createFolder(folder.url)
    }
    #expect(try mode(of: folder.url) == 0o777)
  }

  @Test func `a file in the folder's place is refused`() throws {
    try Data().write(to: file)
    #expect(throws: FileStorageError.unwritable(path: file.path, reason: "it is not a folder")) {
      try ProtectedFiles.createFolder(file)
    }
  }

  @Test(arguments: [0, 1, 16_384, 100_000])
  func `what is written is read and only the owner may read it`(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    try ProtectedFiles.replace(file, with: bytes)
    #expect(try ProtectedFiles.read(file) == bytes)
    #expect(try mode(of: file) == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["item"])
  }

  @Test func `replacing by less leaves no rest`() throws {
    try ProtectedFiles.replace(file, with: [1, 2, 3])
    try ProtectedFiles.replace(file, with: [4])
    #expect(try ProtectedFiles.read(file) == [4])
  }

  @Test func `a temporary file left by a crash is neither read nor in the way`() throws {
    try ProtectedFiles.replace(file, with: [1])
    try Data([9, 9, 9, 9]).write(to: folder.file(".item.tmp"))
    #expect(try ProtectedFiles.read(file) == [1])
    #expect(try ProtectedFiles.names(in: folder.url) == ["item"])
    try ProtectedFiles.replace(file, with: [2])
    #expect(try ProtectedFiles.read(file) == [2])
    #expect(try mode(of: file) == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["item"])
  }

  @Test func `a replacement that fails leaves nothing behind`() throws {
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    #expect(throws: FileStorageError.self) { try ProtectedFiles.replace(file, with: [1]) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["item"])
  }

  @Test func `an absent file is nil and an unreadable one an error that names it`() throws {
    #expect(try ProtectedFiles.read(file) == nil)
    #expect(try ProtectedFiles.read(folder.file("no/such/folder")) == nil)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    let error = #expect(throws: FileStorageError.self) { try ProtectedFiles.read(file) }
    #expect(error?.localizedDescription.contains(file.path) == true)
    #expect(error?.errorMessage == error?.localizedDescription)
  }

  @Test func `links and pipes are not read`() throws {
    let target = folder.file("target")
    try Data([1]).write(to: target)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    #expect(throws: FileStorageError.self) { try ProtectedFiles.read(file) }
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    #expect(throws: FileStorageError.unreadable(path: pipe.path, reason: "it is not a regular file")) {
      try ProtectedFiles.read(pipe)
    }
  }

  @Test func `reading is bounded`() throws {
    try ProtectedFiles.replace(file, with: [UInt8](repeating: 0, count: 101))
    #expect(try ProtectedFiles.read(file, limit: 101)?.count == 101)
    #expect(throws: FileStorageError.unreadable(path: file.path, reason: "it has more than 100 bytes")) {
      try ProtectedFiles.read(file, limit: 100)
    }
  }

  @Test func `creating never replaces`() throws {
    try ProtectedFiles.create(file, with: [1])
    #expect(throws: FileStorageError.exists(path: file.path)) { try ProtectedFiles.create(file, with: [2]) }
    #expect(try ProtectedFiles.read(file) == [1])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["item"])
  }

  @Test func `all who create at once get the same bytes`() async throws {
    let file = file
    let all = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for number in 0..<32 {
        group.addTask { try ProtectedFiles.readOrCreate(file) { [UInt8(number)] } }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(all.count == 1)
    #expect(try ProtectedFiles.read(file).map { all.contains($0) } == true)
  }

  @Test func `writers at once all succeed and leave one of their contents whole`() async throws {
    let file = file
    let failures = Locked(0)
    let ends = (0..<4).map { _ in Signal() }
    let threads = ends.enumerated().map { number, end in
      Thread {
        defer { end.fire() }
        for _ in 0..<50 {
          let bytes = [UInt8](repeating: UInt8(number), count: 5_000)
          if (try? ProtectedFiles.replace(file, with: bytes)) == nil { failures.withLock { $0 += 1 } }
        }
      }
    }
    for thread in threads { thread.start() }
    for end in ends { try await end.wait(until: "all writers have ended") }
    #expect(failures.withLock { $0 } == 0)
    let bytes = try #require(try ProtectedFiles.read(file))
    #expect(bytes.count == 5_000)
    #expect(Set(bytes).count == 1)
  }

  @Test func `removing an absent file succeeds`() throws {
    try ProtectedFiles.remove(file)
    try ProtectedFiles.replace(file, with: [1])
    try ProtectedFiles.remove(file)
    #expect(try ProtectedFiles.read(file) == nil)
    try ProtectedFiles.remove(folder.file("no/such/folder"))
  }

  @Test func `names leave hidden files out`() throws {
    for name in ["b", "a", ".hidden"] { try Data().write(to: folder.file(name)) }
    #expect(try ProtectedFiles.names(in: folder.url) == ["a", "b"])
    #expect(try ProtectedFiles.names(in: folder.file("absent")) == [])
  }

  @Test func `a lock that is held is an error that names it and is free afterwards`() async throws {
    let lock = FileLock(file: folder.file(".lock"), attempts: 2)
    try await lock.withLock {
      let path = folder.file(".lock").path
      await #expect(throws: FileStorageError.locked(path: path)) { try await lock.withLock {} }
    }
    #expect(try await lock.withLock { true })
  }
}

@Suite("ClientHome")
struct ClientHomeTests {
  @Test(arguments: [
    (["SEALRING_HOME": "/s", "XDG_DATA_HOME": "/x"], "/s"),
    (["SEALRING_HOME": "", "XDG_DATA_HOME": "/x"], "/x/sealring"),
    (["XDG_DATA_HOME": "relative"], "/home/mira/.local/share/sealring"),
    ([:], "/home/mira/.local/share/sealring"),
  ])
  func `the environment decides`(environment: [String: String], path: String) {
    let fallback = URL(fileURLWithPath: "/home/mira/.local/share")
    #expect(ClientHome(environment: environment, fallback: fallback).directory.path == path)
  }

  @Test func `folders are for the owner alone`() throws {
    let temporary = try TemporaryFolder.make()
    let home = ClientHome(directory: temporary.file("home"))
    let keys = try home.folder("keys")
    #expect(try mode(of: home.directory) == 0o700)
    #expect(try mode(of: keys) == 0o700)
  }
}
