internal import Bytes
internal import Concurrency
internal import Crypto
package import Foundation
internal import JourneyDriving
internal import PrivateFiles
internal import PushFormats
internal import StrictJSON

/// Why the devices' folder cannot be used.
package struct DeviceFolderError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String
}

/// Stores keys and enrolments of simulated devices, so that a later load can sign in with keys that an earlier one bound.
///
/// Each kind has a file: a line that names the server and the realm, and a line of JSON for each enrolment. Lines are only
/// appended; the last line of an account counts. Only the owner can read the files.
package final class DeviceFolder: Sendable {
  private let folder: URL
  private let server: String
  private let realm: String
  private let files = Locked([EnrolmentKind: FileHandle]())

  private static let version: Int64 = 1
  /// A line has about 400 bytes.
  private static let maximumFileBytes = 128 << 20
  private static let lineLimits = JSONLimits(maximumBytes: 8 << 10, maximumDepth: 4)

  /// - Parameters:
  ///   - folder: created if missing, readable by its owner only.
  ///   - server: the server's base address. A folder belongs to one realm of one server.
  /// - Throws: `FileStorageError`.
  package init(_ folder: URL, server: String, realm: String) throws {
    try ProtectedFiles.createFolder(folder)
    (self.folder, self.server, self.realm) = (folder, server, realm)
  }

  private func file(_ kind: EnrolmentKind) -> URL {
    folder.appending(path: "\(kind.rawValue).jsonl", directoryHint: .notDirectory)
  }

  // MARK: Reading

  /// Calls `body` with every enrolment, oldest first.
  ///
  /// Skips an incomplete last line, which a program that ended was writing.
  func read(_ body: (_ username: String, Enrolment) -> Void) throws {
    for kind in EnrolmentKind.allCases {
      guard let bytes = try ProtectedFiles.read(file(kind), limit: Self.maximumFileBytes), !bytes.isEmpty
      else { continue }
      let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      var lines = bytes[..<end].split(separator: UInt8(ascii: "\n")).makeIterator()
      try check(lines.next(), kind)
      var number = 1
      while let line = lines.next() {
        number += 1
        guard let json = try? JSONObject(parsing: line, limits: Self.lineLimits),
          let username = json["user"]?.stringValue, let enrolment = Self.enrolment(kind, json)
        else { throw damaged(kind, "line \(number) cannot be read") }
        body(username, enrolment)
      }
    }
  }

  private func check(_ line: ArraySlice<UInt8>?, _ kind: EnrolmentKind) throws {
    guard let line, let head = try? JSONObject(parsing: line, limits: Self.lineLimits),
      head["kind"]?.stringValue == kind.rawValue, head["version"]?.integerValue == Self.version,
      let server = head["server"]?.stringValue, let realm = head["realm"]?.stringValue
    else { throw damaged(kind, "its first line is not that of a devices' folder of this version") }
    guard server == self.server, realm == self.realm else {
      throw DeviceFolderError(
        description:
          "The devices in \(folder.path) belong to realm \(realm) of \(server). Name that server, or another folder."
      )
    }
  }

  private func damaged(_ kind: EnrolmentKind, _ reason: String) -> DeviceFolderError {
    DeviceFolderError(description: "\(file(kind).path) is damaged: \(reason).")
  }

  private static func enrolment(_ kind: EnrolmentKind, _ json: JSONObject) -> Enrolment? {
    func bytes(_ name: String) -> [UInt8]? { json[name]?.stringValue.flatMap { Base64URL.decode($0) } }
    func key() -> P256.Signing.PrivateKey? {
      bytes("key").flatMap { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
    }
    switch kind {
    case .bound:
      guard let key = key(), let id = json["kid"]?.stringValue, let userID = json["userId"]?.stringValue
      else { return nil }
      return .bound(SimulatedKey(id: id, userID: userID, key: key))
    case .push:
      guard let uid = json["mechanismUid"]?.stringValue, let bytes = bytes("secret"),
        let secret = try? PushSecret(bytes)
      else { return nil }
      return .push(SimulatedPushDevice(mechanismUID: uid, secret: secret))
    case .passkey:
      guard let key = key(), let id = bytes("id"), let handle = bytes("userHandle"),
        let party = json["rpId"]?.stringValue
      else { return nil }
      return .passkey(PasskeyCredential(id: id, relyingPartyID: party, userHandle: handle, key: key))
    }
  }

  // MARK: Writing

  /// Runs `body` while no other program adds devices to the folder.
  ///
  /// - Throws: ``DeviceFolderError`` when another program does.
  @discardableResult
  package func enrolling<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await FileLock(file: folder.appending(path: ".lock"), attempts: 50).withLock(body)
    } catch FileStorageError.locked {
      throw DeviceFolderError(
        description:
          "Another program is adding devices to \(folder.path). Wait for it, or name another folder.")
    }
  }

  /// Appends an enrolment. It survives a crash of this program at once, and a power failure after ``synchronize()``.
  func append(_ enrolment: Enrolment, of username: String) throws {
    var json: JSONObject = ["user": .string(username)]
    func set(_ name: String, _ bytes: some Collection<UInt8>) {
      json[name] = .string(Base64URL.encode(Array(bytes)))
    }
    switch enrolment {
    case .bound(let bound):
      json["kid"] = .string(bound.id)
      json["userId"] = .string(bound.userID)
      set("key", bound.key.rawRepresentation)
    case .push(let push):
      json["mechanismUid"] = .string(push.mechanismUID)
      json["secret"] = .string(push.secret.base64URL)
    case .passkey(let passkey):
      set("id", passkey.id)
      json["rpId"] = .string(passkey.relyingPartyID)
      set("userHandle", passkey.userHandle)
      set("key", passkey.key.rawRepresentation)
    }
    let line = json.serialized + [UInt8(ascii: "\n")]
    try files.withLock { files in
      let kind = enrolment.kind
      let file = try files[kind] ?? open(kind)
      files[kind] = file
      do { try file.write(contentsOf: line) } catch {
        throw DeviceFolderError(description: FileReason.of(error))
      }
    }
  }

  /// Makes the appended enrolments durable.
  package func synchronize() {
    files.withLock { files in
      for file in files.values { fsync(file.fileDescriptor) }
    }
  }

  private func open(_ kind: EnrolmentKind) throws -> FileHandle {
    let file = file(kind)
    let head: JSONObject = [
      "kind": .string(kind.rawValue), "version": .integer(Self.version), "server": .string(server),
      "realm": .string(realm),
    ]
    // The first line of an existing file was checked when the file was read.
    if !ProtectedFiles.isThere(file) {
      try ProtectedFiles.create(file, with: head.serialized + [UInt8(ascii: "\n")])
    }
    let descriptor = Foundation.open(file.path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Self.failure() }
    let opened = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    // Cuts off an incomplete last line.
    let size = lseek(descriptor, 0, SEEK_END)
    var length = size
    var last: UInt8 = 0
    while length > 0, pread(descriptor, &last, 1, length - 1) == 1, last != UInt8(ascii: "\n") { length -= 1 }
    guard length == size || ftruncate(descriptor, length) == 0 else { throw Self.failure() }
    return opened
  }

  private static func failure() -> DeviceFolderError {
    DeviceFolderError(description: String(cString: strerror(errno)))
  }
}
