import CommonFixtures
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
  func aFileIsWrittenInPieces(replacing: Bool) throws {
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

  @Test func whatIsNotCommittedLeavesNothing() throws {
    do {
      let draft = try PrivateFileDraft(of: file)
      try draft.append([1])
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func aFileThatAppearedMeanwhileIsNotReplaced() throws {
    let draft = try PrivateFileDraft(of: file)
    try draft.append([1])
    // Another program, which knows nothing of our locks.
    try Data([9]).write(to: file)
    #expect(throws: FileStorageError.exists(path: file.path)) { try draft.commit(replacing: false) }
    #expect(try Data(contentsOf: file) == Data([9]))
  }

  @Test func aLinkThatLeadsNowhereIsNotReplaced() throws {
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: folder.file("nowhere"))
    #expect(throws: FileStorageError.exists(path: file.path)) { try ProtectedFiles.create(file, with: [1]) }
    #expect(!ProtectedFiles.isThere(folder.file("nowhere")))
  }

  /// After a crash between the two steps of a commit the draft is a second name of the file. It must not be emptied.
  @Test func aSecondNameThatACrashLeftIsTakenAway() throws {
    try ProtectedFiles.create(file, with: [1, 2, 3])
    #expect(link(file.path, draftFile.path) == 0)
    #expect(throws: FileStorageError.exists(path: file.path)) { try ProtectedFiles.create(file, with: [4]) }
    #expect(try ProtectedFiles.read(file) == [1, 2, 3])
    #expect(link(file.path, draftFile.path) == 0)
    try ProtectedFiles.replace(file, with: [4])
    #expect(try ProtectedFiles.read(file) == [4])
    #expect(!ProtectedFiles.isThere(draftFile))
  }

  @Test func aDraftThatACrashLeftIsUsedAgain() throws {
    try Data(repeating: 7, count: 100).write(to: draftFile)
    try ProtectedFiles.create(file, with: [1])
    #expect(try ProtectedFiles.read(file) == [1])
  }

  @Test func aLinkInTheDraftsPlaceIsNotFollowed() throws {
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

  @Test func membersAreReadByTheirType() throws {
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
  func otherContentIsRefused(text: String, reason: String) {
    #expect(throws: JSONRecord.Damage(reason: reason)) { try record(text) }
  }

  @Test(arguments: ["", "{", #"{"version":1,"version":2}"#, #"{"version":1,"a":[[]]}"#])
  func whatIsNotStrictJSONIsRefused(text: String) {
    #expect(throws: JSONRecord.Damage.self) { try record(text) }
  }

  @Test func contentIsBounded() {
    let long = #"{"version":1,"a":"\#(String(repeating: "x", count: 100))"}"#
    #expect(throws: JSONRecord.Damage.self) { try record(long) }
  }

  @Test func oneVersionIsNamedAlone() {
    #expect(throws: JSONRecord.Damage(reason: "it has version 2, and this program knows version 1")) {
      try record(#"{"version":2}"#, versions: 1...1)
    }
  }
}
