#if os(Linux)
  internal import Bytes
  internal import Foundation
  internal import PrivateFiles

  /// Root's file about a user, in `/etc/sealring/pam` with the user's name, with one fact per line.
  ///
  /// `pin POINT NAME` and `consent POINT NAME` are the user's keys, which the PAM module reads; `server NAME` is their account at the
  /// server; `recovery HASH` is an unused recovery code. Other lines and comments are left alone. One writer at a time changes the file,
  /// completely or not at all.
  package struct PAMUserFile: Sendable {
    private static let maximumSize = 8192

    private let folder: URL
    package let user: String

    /// - Throws: ``PAMRootError`` for a name that the PAM module does not accept.
    package init(user: String, folder: String = PAMFiles.users) throws(PAMRootError) {
      guard Self.isUser(user) else {
        throw PAMRootError(
          "The PAM module takes names of letters, digits and . _ - only, and this user's is another.")
      }
      (self.user, self.folder) = (user, URL(filePath: folder, directoryHint: .isDirectory))
    }

    package var path: String { folder.appending(path: user).path(percentEncoded: false) }

    /// Whether the PAM module accepts `name` as a user's name, which is also the name of a file.
    package static func isUser(_ name: String) -> Bool {
      (1...64).contains(name.utf8.count) && !name.hasPrefix("-") && !name.hasPrefix(".")
        && name.utf8.allSatisfy { Self.letters.contains($0) }
    }

    private static let letters = Set(
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._-".utf8)

    /// The lines without comments; none when there is no file.
    ///
    /// - Throws: `FileStorageError` when others than root and the user who runs this could have written the file.
    package func lines() throws -> [String] {
      try RootFile(path, atMost: Self.maximumSize)?.lines ?? []
    }

    /// The account at the server; `nil` when root has named none.
    package func account() throws -> String? {
      try lines().first { $0.hasPrefix("server ") }.map { String($0.dropFirst("server ".count)) }
    }

    /// Whether the point of a key is enrolled.
    func hasKey(_ point: [UInt8]) throws -> Bool {
      try lines().contains {
        let words = $0.split(separator: " ")
        return words.count >= 2 && ["pin", "consent"].contains(words[0])
          && Hexadecimal.decode(words[1]) == point
      }
    }

    /// Adds a line unless it exists.
    package func add(_ line: String) async throws {
      try await change { if !$0.contains(line) { $0.append(line) } }
    }

    /// Names the account at the server.
    package func setAccount(_ name: String) async throws {
      try await change { lines in
        lines.removeAll { $0.hasPrefix("server ") }
        lines.append("server \(name)")
      }
    }

    /// Lets `body` change the lines, including comments, while no other writer does; durable on return.
    func change<Result>(_ body: (inout [String]) throws -> Result) async throws -> Result {
      // The module refuses files that others could write to.
      let rights: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: rights)
      // No user's name begins with a dot: neither this file nor one that a killed command leaves behind enrols anybody.
      return try await FileLock(file: folder.appending(path: ".lock")).withLock {
        let before = try RootFile(path, atMost: Self.maximumSize)?.allLines ?? []
        var after = before
        let result = try body(&after)
        if after != before { try write(after) }
        return result
      }
    }

    private func write(_ lines: [String]) throws {
      let draft = folder.appending(path: ".\(user).new").path(percentEncoded: false)
      let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
      guard bytes.count <= Self.maximumSize else { throw PAMRootError("\(path) would be too long.") }
      let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o644)
      defer { close(descriptor) }
      guard descriptor >= 0, fchmod(descriptor, 0o644) == 0,
        Foundation.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
        rename(draft, path) == 0
      else {
        throw PAMRootError("\(path) cannot be written: \(String(cString: strerror(errno))).")
      }
      try ProtectedFiles.synchronize(folder: folder)
    }
  }
#endif
