import CommonFixtures
import Concurrency
import Foundation
import PrivateFiles
import Testing

@Suite("Drafts of private files")
struct PrivateFileDraftTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let draftFile: URL

  init() throws {
    folder = try TemporaryFolder.make()
    file = folder.file("item")
    draftFile = folder.file(".item.tmp")
  }

  @Test(arguments: [true, false])
  func `a file is written in pieces`(replacing: Bool) throws {
    do {
      let draft = try PrivateFileDraft(of: file)
      try draft.append([1, 2])
      try draft.append([])
      try draft.append([3])
      #expect(!ProtectedFiles.isThere(file))
      try draft.commit(replacing: replacing)
    }
    #expect(try ProtectedFiles.read(file) == [1, 2, 3])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["item"])
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  // Changed by its name afterwards, another file could be meant.
  @Test func `a file has its mode before its name, and never runs as its owner`() throws {
    let draft = try PrivateFileDraft(of: file)
    try draft.give(to: geteuid(), group: getegid(), mode: 0o4644)
    #expect(!ProtectedFiles.isThere(file))
    let other = folder.file("other")
    try ProtectedFiles.create(other, with: [9])
    try draft.commit(replacing: true)
    func mode(_ file: URL) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }
    #expect(try mode(file) == 0o644 && mode(other) == 0o600)
  }

  @Test func `a file keeps the mode of the one that it replaces, as far as it is allowed`() throws {
    #expect(try !PrivateFileDraft(of: file).giveAsBefore())
    try ProtectedFiles.create(file, with: [1])
    #expect(chmod(file.path, 0o664) == 0)
    let draft = try PrivateFileDraft(of: file)
    #expect(try draft.giveAsBefore(mask: 0o644))
    try draft.commit(replacing: true)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o644)
  }

  @Test func `what is not committed leaves nothing`() throws {
    do {
      let draft = try PrivateFileDraft(of: file)
      try draft.append([1])
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func `a file that appeared meanwhile is not replaced`() throws {
    let draft = try PrivateFileDraft(of: file)
    try draft.append([1])
    // Another program, which knows nothing of our locks.
    try Data([9]).write(to: file)
    #expect(throws: FileStorageError.exists(path: file.path)) { try draft.commit(replacing: false) }
    #expect(try Data(contentsOf: file) == Data([9]))
  }

  @Test func `a link that leads nowhere is not replaced`() throws {
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: folder.file("nowhere"))
    #expect(throws: FileStorageError.exists(path: file.path)) { try ProtectedFiles.create(file, with: [1]) }
    #expect(!ProtectedFiles.isThere(folder.file("nowhere")))
  }

  /// After a crash between the two steps of a commit the draft is a second name of the file. It must not be emptied.
  @Test func `a second name that a crash left is taken away`() throws {
    try ProtectedFiles.create(file, with: [1, 2, 3])
    #expect(link(file.path, draftFile.path) == 0)
    #expect(throws: FileStorageError.exists(path: file.path)) { try ProtectedFiles.create(file, with: [4]) }
    #expect(try ProtectedFiles.read(file) == [1, 2, 3])
    #expect(link(file.path, draftFile.path) == 0)
    try ProtectedFiles.replace(file, with: [4])
    #expect(try ProtectedFiles.read(file) == [4])
    #expect(!ProtectedFiles.isThere(draftFile))
  }

  @Test func `a draft that a crash left is used again`() throws {
    try Data(repeating: 7, count: 100).write(to: draftFile)
    try ProtectedFiles.create(file, with: [1])
    #expect(try ProtectedFiles.read(file) == [1])
  }

  /// Another user's file is closed to all but root, so that everybody else's test has a pipe, which is refused at the same place.
  @Test(arguments: geteuid() == 0 ? [S_IFREG, S_IFIFO] : [S_IFIFO])
  func `nobody waits for a lock that another user may hold`(kind: mode_t) throws {
    #expect(mknod(draftFile.path, kind | 0o600, 0) == 0)
    if geteuid() == 0 { #expect(chown(draftFile.path, 65_534, 65_534) == 0) }
    let held = Locked(Int32?.some(open(draftFile.path, O_RDWR | O_NONBLOCK)))
    func release() { held.withLock { $0.take().map { _ = close($0) } } }
    #expect(flock(held.withLock { $0 } ?? -1, LOCK_EX | LOCK_NB) == 0)
    // Only a draft that waits is still there by then.
    let rescue = DispatchWorkItem { release() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 20, execute: rescue)
    #expect(throws: FileStorageError.self) { try PrivateFileDraft(of: file) }
    rescue.cancel()
    #expect(held.withLock { $0 != nil })
    release()
  }

  @Test func `a link in the draft's place is not followed`() throws {
    let victim = folder.file("victim")
    try Data([9]).write(to: victim)
    try FileManager.default.createSymbolicLink(at: draftFile, withDestinationURL: victim)
    #expect(throws: FileStorageError.self) { try PrivateFileDraft(of: file) }
    #expect(try Data(contentsOf: victim) == Data([9]))
  }
}

@Suite("Versioned records")
struct JSONRecordTests {
  private func record(_ text: String, versions: ClosedRange<Int64> = 1...2) throws -> JSONRecord {
    try JSONRecord(parsing: Array(text.utf8), as: "key file", versions: versions, limit: 100)
  }

  @Test func `members are read by their type`() throws {
    let record = try self.record(#"{"version":2,"tag":"a","salt":"AQI","at":1500,"no":null}"#)
    #expect(record.version == 2 && record.text("tag") == "a" && record.bytes("salt") == [1, 2])
    #expect(record.integer("at") == 1500 && record.date("at") == Date(timeIntervalSince1970: 1.5))
    #expect(record.text("at") == nil && record.bytes("absent") == nil && record.date("tag") == nil)
  }

  @Test(arguments: [
    ("{}", "it is not a key file"), (#"{"version":"1"}"#, "it is not a key file"),
    ("[]", "it is not a key file"),
    (#"{"version":3}"#, "it has version 3, and this program knows versions 1 to 2"),
    (#"{"version":0}"#, "it has version 0, and this program knows versions 1 to 2"),
  ])
  func `other content is refused`(text: String, reason: String) {
    #expect(throws: JSONRecord.Damage(reason: reason)) { try record(text) }
  }

  @Test(arguments: ["", "{", #"{"version":1,"version":2}"#, #"{"version":1,"a":[[]]}"#])
  func `what is not strict JSON is refused`(text: String) {
    #expect(throws: JSONRecord.Damage.self) { try record(text) }
  }

  @Test func `content is bounded`() {
    let long = #"{"version":1,"a":"\#(String(repeating: "x", count: 100))"}"#
    #expect(throws: JSONRecord.Damage.self) { try record(long) }
  }

  @Test func `one version is named alone`() {
    #expect(throws: JSONRecord.Damage(reason: "it has version 2, and this program knows version 1")) {
      try record(#"{"version":2}"#, versions: 1...1)
    }
  }
}
