import Bytes
import Foundation
import PrivateFiles
import SSHFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lines of `known_hosts` that trust a realm's authority for hosts. Each line ends with the server and the realm, to be found again.
struct TrustLines {
  let pattern: String
  let keys: [SSHPublicKey]

  /// The server's address and the realm.
  let origin: String

  var all: [String] {
    keys.map { "@cert-authority \(pattern) \(AuthorizedKey(key: $0, comment: origin).line)" }
  }

  /// Adds the lines whose pattern and key the file does not have, and removes lines of the same origin, for any hosts, whose key is
  /// not among ``keys``. Other lines stay unchanged, byte for byte.
  func put(into path: String) throws -> (added: Int, removed: [String]) {
    let path = path.hasPrefix("~/") ? ClientHome.userFolder(Environment.variables) + path.dropFirst() : path
    let there = [UInt8](FileManager.default.contents(atPath: path) ?? Data())
    let lines = there.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let known = Set(lines.map { Self.words($0).prefix(4) })
    let new = all.filter { !known.contains(Self.words(Array($0.utf8)[...]).prefix(4)) }
    let removed = lines.filter(isOutdated)
    guard !removed.isEmpty else {
      try Self.append(new, to: path, isInLine: there.last.map { $0 != UInt8(ascii: "\n") } ?? false)
      return (new.count, [])
    }
    var kept = lines.filter { !isOutdated($0) }
    if kept.last?.isEmpty == true { kept.removeLast() }
    let content = (kept.map { Array($0) } + new.map { Array($0.utf8) }).map { $0 + [UInt8(ascii: "\n")] }
    try Self.replace(path, by: Array(content.joined()))
    return (new.count, removed.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Whether the line has this origin, and a key that the server no longer presents.
  private func isOutdated(_ line: ArraySlice<UInt8>) -> Bool {
    let words = Self.words(line)
    guard words.count > 4, words[0] == "@cert-authority",
      words[4...].joined(separator: " ") == origin.onOneLine
    else { return false }
    return !keys.contains { PaddedBase64.encode($0.blob) == words[3] }
  }

  private static func words(_ line: ArraySlice<UInt8>) -> [String] {
    line.split { [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains($0) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Appends, so that lines that ssh writes at the same time survive.
  private static func append(_ new: [String], to path: String, isInLine: Bool) throws {
    guard !new.isEmpty else { return }
    let bytes = Array(((isInLine ? "\n" : "") + new.joined(separator: "\n") + "\n").utf8)
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else {
      throw CommandFailure("\(printable(path)) cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  /// Replaces the file, or the target of a link, and keeps owner and mode: everybody may read a machine's file.
  private static func replace(_ path: String, by bytes: [UInt8]) throws {
    let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    let draft = try AtomicFile(path: file, replaces: true)
    try draft.write(bytes)
    guard try draft.giveAsBefore() else {
      throw CommandFailure("The owner and mode of \(printable(path)) cannot be read.")
    }
    try draft.commit()
  }
}
