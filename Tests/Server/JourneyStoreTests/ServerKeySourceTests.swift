import Bytes
import CommonFixtures
import Foundation
import Testing

@testable import JourneyStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Places of server keys") struct ServerKeySourceTests {
  private let key = [UInt8](repeating: 5, count: 32)
  private var id: String { LoadedServerKey(bytes: key, place: "").id }

  private func withFile(_ content: [UInt8], mode: Int = 0o600, _ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder.make()
    let path = folder.url.appendingPathComponent("a.key").path
    try Data(content).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    try withExtendedLifetime(folder) { try body(path) }
  }

  @Test func `a key may be written as bytes, in hexadecimal and in Base64`() throws {
    let base64 = Data(key).base64EncodedString()
    for text in [key, Array(key.hexadecimal.utf8), Array(base64.utf8), Array((base64 + "\n").utf8)] {
      try withFile(text) { path in
        let source = try ServerKeySpecification.source("file:\(path)")
        #expect(try source.keys().map(\.id) == [id])
        #expect(source.place == path)
      }
    }
  }

  @Test(arguments: [0o640, 0o604, 0o666])
  func `a file that others can read or change is refused, with what to do`(mode: Int) throws {
    try withFile(key, mode: mode) { path in
      #expect {
        try ServerKeySpecification.source("file:\(path)").keys()
      } throws: {
        "\($0)".contains("chmod 600 \(path)")
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `root changes the mode of no file that a link in another user's folder names`() throws {
    let folder = try TemporaryFolder.make()
    let (outside, data) = (folder.file("outside"), folder.file("data"))
    try Data([1]).write(to: outside)
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: data.appending(path: "link"), withDestinationURL: outside)
    try Data([2]).write(to: data.appending(path: "file"))
    let nobody: uid_t = 65_534
    try #require(chmod(outside.path, 0o644) == 0 && chmod(data.appending(path: "file").path, 0o644) == 0)
    try #require(chown(data.path, nobody, nobody) == 0)
    let store = StoreDirectory(data)
    #expect(throws: StoreError.self) { try store.makePrivate("link") }
    try store.makePrivate("file")
    func mode(_ url: URL) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }
    #expect(try mode(outside) == 0o644 && mode(data.appending(path: "file")) == 0o600)
  }

  @Test func `a link, a folder and what is too long are refused`() throws {
    try withFile(key) { path in
      let link = path + ".link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      #expect(throws: StoreError.self) { try FileKeySource(path: link).keys() }
      #expect(throws: StoreError.self) {
        try FileKeySource(path: URL(fileURLWithPath: path).deletingLastPathComponent().path).keys()
      }
    }
    for count in [0, 31, 33, 5000] {
      try withFile([UInt8](repeating: 65, count: count)) { path in
        #expect {
          try FileKeySource(path: path).keys()
        } throws: {
          "\($0)".contains(path)
        }
      }
    }
  }

  // The environment changes in a process of its own: here other tests read it at the same time.

  @Test func `a variable of the environment is taken away when it is read`() async {
    await #expect(processExitsWith: .success) {
      let (name, key) = ("SEALRING_TEST_KEY", [UInt8](repeating: 5, count: 32))
      let id = LoadedServerKey(bytes: key, place: "").id
      setenv(name, Data(key).base64EncodedString(), 1)
      let source = try ServerKeySpecification.source("env:\(name)")
      #expect(try source.keys().map(\.id) == [id])
      #expect(getenv(name) == nil)
      // And is still known to whoever names it again.
      #expect(try ServerKeySpecification.source("env:\(name)").keys().map(\.id) == [id])
    }
  }

  @Test func `a variable with something else is an error that does not show it`() async {
    await #expect(processExitsWith: .success) {
      for text in [
        "rubbish-that-must-not-be-shown", String(repeating: "x", count: 32),
        String(repeating: "g", count: 64),
      ] {
        let name = "SEALRING_TEST_KEY_\(text.count)"
        setenv(name, text, 1)
        #expect {
          try ServerKeySpecification.source("env:\(name)").keys()
        } throws: { error in
          "\(error)".contains(name) && !"\(error)".contains(text)
        }
      }
    }
    #expect {
      try ServerKeySpecification.source("env:SEALRING_TEST_KEY_UNSET").keys()
    } throws: {
      "\($0)".contains("SEALRING_TEST_KEY_UNSET is not set")
    }
  }

  @Test func `a credential is found where systemd put it, whatever its permissions`() throws {
    try withFile(key, mode: 0o440) { path in
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      let source = try ServerKeySpecification.source(
        "credential:a.key", environment: ["CREDENTIALS_DIRECTORY": folder])
      #expect(try source.keys().map(\.id) == [id])
      for name in ["../a.key", "..", "x/y"] {
        #expect(throws: StoreError.self) {
          try ServerKeySpecification.source(
            "credential:\(name)", environment: ["CREDENTIALS_DIRECTORY": folder])
        }
      }
    }
    #expect {
      try ServerKeySpecification.source("credential:a.key", environment: [:])
    } throws: {
      "\($0)".contains("LoadCredential")
    }
  }

  @Test(arguments: ["", "file:", "0123456789abcdef", "vault:secret-value", "env:AAAA+bbbb/cccc="])
  func `what is no place is refused without being repeated`(text: String) {
    #expect {
      try ServerKeySpecification.source(text, environment: [:])
    } throws: { error in
      ["0123456789abcdef", "secret-value", "AAAA"].allSatisfy { !"\(error)".contains($0) }
    }
  }

  @Test
  func `a data folder has the first key and those that came after it, and no other files are looked at`()
    throws
  {
    let folder = try TemporaryFolder.make()
    let files = StoreDirectory(folder.url)
    #expect(try ServerKey(existingIn: files) == nil)
    let first = try ServerKey(files.keySources(), mayCreate: true, randomBytes: SystemRandom.bytes)
    let next = try first.makeNext(in: files, randomBytes: SystemRandom.bytes)
    for name in ["server-.key", "server-backup.key", "server-0123456789abcdeX.key", "tls.key"] {
      try Data([1]).write(to: folder.url.appendingPathComponent(name))
    }
    #expect(try FolderKeySource(folder: files).names() == ["server.key", "server-\(next).key"])
    let path = folder.url.appendingPathComponent("server-\(next).key").path
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    // Root rotates for the service's user.
    if geteuid() == 0 {
      try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: folder.url.path)
      let later = try first.makeNext(in: files, randomBytes: SystemRandom.bytes)
      let file = folder.url.appendingPathComponent("server-\(later).key").path
      let owner = try FileManager.default.attributesOfItem(atPath: file)[.ownerAccountID] as? NSNumber
      #expect(owner?.intValue == 65_534)
      try FileManager.default.removeItem(atPath: file)
    }
    let again = try #require(try ServerKey(existingIn: files))
    #expect(again.loaded.map(\.id) == Array(first.loaded.map(\.id).prefix(2)))
    #expect(again.has(next))
  }

  @Test func `an id says nothing of the key, and secrets of one key are not another's`() throws {
    #expect(!key.hexadecimal.contains(id) && id.count == 16)
    let (one, other) = (
      ServerKey(bytes: key, place: "one"), ServerKey(bytes: [UInt8](0..<32), place: "other")
    )
    let sealed = try one.seal([1, 2, 3], named: "a")
    #expect(try one.open(sealed, named: "a", in: "t") == [1, 2, 3])
    #expect(throws: StoreError.self) { try one.open(sealed, named: "b", in: "t") }
    #expect(throws: StoreError.self) { try other.open(sealed, named: "a", in: "t") }
    let code = try one.authenticationCode(for: [1], purpose: "p")
    #expect(code.key == id && one.isValid(code.bytes, for: [1], purpose: "p"))
    #expect(
      !one.isValid(code.bytes, for: [1], purpose: "q") && !other.isValid(code.bytes, for: [1], purpose: "p"))
  }
}
