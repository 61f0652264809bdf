internal import Foundation

/// A place that has server keys. Errors and ``place`` name it and never show a key.
package protocol ServerKeySource: Sendable {
  /// The place as shown to people: `file /etc/sealring/server.key`.
  var place: String { get }

  /// Whether keys may appear in it while the server runs, so that it can be asked again at any time.
  var mayChange: Bool { get }

  /// The keys; empty when there is none yet.
  ///
  /// - Throws: ``StoreError``, saying what is wrong and what to do.
  func keys() throws -> [LoadedServerKey]

  /// Makes the first key of a database in it.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` when keys have to be put there by the operator.
  func create(_ randomBytes: (Int) -> [UInt8]) throws -> LoadedServerKey
}

extension ServerKeySource {
  package var mayChange: Bool { false }

  package func create(_ randomBytes: (Int) -> [UInt8]) throws -> LoadedServerKey {
    throw StoreError.unavailable("\(place) has no server key; put one there")
  }
}

extension StoreDirectory {
  /// The places of a server's keys, in the order in which the operator named them.
  ///
  /// - Parameter given: the places that the operator named; when there are none, the folder is used.
  package func keySources(_ given: [any ServerKeySource] = []) -> [any ServerKeySource] {
    given.isEmpty ? [FolderKeySource(folder: self)] : given
  }
}

/// `server.key` of a data folder, and `server-ID.key` for each key that came after it.
struct FolderKeySource: ServerKeySource {
  let folder: StoreDirectory

  static let firstName = "server.key"

  var place: String { folder.path(of: Self.firstName) }
  var mayChange: Bool { true }

  func keys() throws -> [LoadedServerKey] {
    try names().flatMap { name in
      try folder.makePrivate(name)
      return try FileKeySource(name, in: folder).keys()
    }
  }

  func create(_ randomBytes: (Int) -> [UInt8]) throws -> LoadedServerKey {
    try FileKeySource(Self.firstName, in: folder).create(randomBytes)
  }

  func createNext(_ randomBytes: (Int) -> [UInt8]) throws -> LoadedServerKey {
    let bytes = randomBytes(ServerKey.length)
    let name = Self.name(of: bytes)
    let key = try FileKeySource(name, in: folder).create { _ in bytes }
    try folder.giveToOwner(name)
    return key
  }

  /// The file of a key that came after the first one, which is named by the key's id.
  static func name(of key: [UInt8]) -> String { "server-\(LoadedServerKey(bytes: key, place: "").id).key" }

  /// The names of the files that are keys, the first one first. A copy of the folder needs all of them.
  func names() throws -> [String] {
    let names = try folder.names()
    let next = names.filter { name in
      guard name.hasPrefix("server-"), name.hasSuffix(".key") else { return false }
      let id = name.dropFirst("server-".count).dropLast(".key".count)
      return id.count == 16 && id.allSatisfy(\.isHexDigit)
    }
    return names.filter { $0 == Self.firstName } + next.sorted()
  }
}

/// `file:PATH`: one key in a file that only its owner may read or change.
package struct FileKeySource: ServerKeySource {
  package let place: String
  private let folder: StoreDirectory
  private let name: String

  /// Whether this program checks the file's permissions; for systemd's credentials, systemd does.
  private let isPrivate: Bool

  /// The most bytes to read. It is far more than a key, so that a damaged file is called damaged.
  private static let longest = 4096

  package init(path: String, isPrivate: Bool = true) {
    let file = URL(fileURLWithPath: path)
    (place, self.isPrivate) = (path, isPrivate)
    (folder, name) = (StoreDirectory(file.deletingLastPathComponent()), file.lastPathComponent)
  }

  init(_ name: String, in folder: StoreDirectory) {
    (place, isPrivate, self.folder, self.name) = (folder.path(of: name), true, folder, name)
  }

  package var mayChange: Bool { isPrivate }

  package func keys() throws -> [LoadedServerKey] {
    guard let written = try folder.read(name, limit: Self.longest) else { return [] }
    guard !isPrivate || folder.isPrivate(name) else {
      throw StoreError.unavailable(
        "the server key in \(place) can be read or changed by other users; run: chmod 600 \(place); "
          + "if others may have read it, rotate it (docs/keys.md)")
    }
    guard let key = LoadedServerKey(written: written, place: place) else {
      throw StoreError.corrupt(
        "\(place) is not \(ServerKey.length) bytes long; it was left as it is; restore it from a backup")
    }
    return [key]
  }

  package func create(_ randomBytes: (Int) -> [UInt8]) throws -> LoadedServerKey {
    guard isPrivate else {
      throw StoreError.unavailable("there is no server key in \(place); put one there")
    }
    let bytes = randomBytes(ServerKey.length)
    guard bytes.count == ServerKey.length, try folder.createAtomically(name, bytes) else {
      throw StoreError.unavailable("\(place) could not be created because it appeared meanwhile; start again")
    }
    return LoadedServerKey(bytes: bytes, place: place)
  }
}
