internal import Foundation

/// A place that has server keys. Errors and ``place`` name it and never show a key.
package protocol ServerKeySource: Sendable {
  /// What it is, for people: `file /etc/sealring/server.key`.
  var place: String { get }

  /// Whether keys may appear in it while the server runs, so that it can be asked again at any time.
  var mayChange: Bool { get }

  /// The keys; none when it has none yet.
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

/// The places of a server's keys, in the order in which the operator named them.
package struct ServerKeySources: Sendable {
  package let all: [any ServerKeySource]

  package init(_ all: [any ServerKeySource]) { self.all = all }

  /// The keys in a data folder: what servers use when nothing else is said.
  package init(folder: StoreDirectory) { all = [FolderKeySource(folder: folder)] }

  /// - Parameter given: What the operator named; the data folder when that is nothing.
  package init(_ given: [any ServerKeySource], folder: StoreDirectory) {
    all = given.isEmpty ? [FolderKeySource(folder: folder)] : given
  }

  /// What the sources are, for people; a line each.
  package var places: [String] { all.map(\.place) }

  func load() throws -> [LoadedServerKey] { try all.flatMap { try $0.keys() } }

  func reload() throws -> [LoadedServerKey] { try all.filter(\.mayChange).flatMap { try $0.keys() } }

  func loadOrCreate(mayCreate: Bool, randomBytes: (Int) -> [UInt8]) throws -> [LoadedServerKey] {
    let keys = try load()
    guard keys.isEmpty else { return keys }
    guard mayCreate, let first = all.first else {
      throw StoreError.unavailable(
        "\(places.joined(separator: ", ")) is missing, and the database holds secrets encrypted under it; "
          + "restore it from a backup")
    }
    return [try first.create(randomBytes)]
  }
}

/// `server.key` of a data folder, and `server-ID.key` for each key that came after it.
struct FolderKeySource: ServerKeySource {
  let folder: StoreDirectory

  static let firstName = "server.key"

  var place: String { folder.path(of: Self.firstName) }
  var mayChange: Bool { true }

  func keys() throws -> [LoadedServerKey] {
    try ServerKeyFiles.names(in: folder).compactMap { name in
      try folder.makePrivate(name)
      return try ServerKeyFiles.key(name, in: folder)
    }
  }

  func create(_ randomBytes: (Int) -> [UInt8]) throws -> LoadedServerKey {
    try ServerKeyFiles.create(Self.firstName, in: folder, randomBytes(ServerKey.length))
  }

  /// Makes a key that follows others; its file is named by its id.
  func createNext(_ randomBytes: (Int) -> [UInt8]) throws -> LoadedServerKey {
    let bytes = randomBytes(ServerKey.length)
    let id = LoadedServerKey(bytes: bytes, place: "").id
    let key = try ServerKeyFiles.create("server-\(id).key", in: folder, bytes)
    try folder.giveToOwner("server-\(id).key")
    return key
  }
}

/// `file:PATH`: one key in a file, which is only its owner's.
package struct FileKeySource: ServerKeySource {
  package let place: String
  private let folder: StoreDirectory
  private let name: String

  /// Whether the file's permissions are this program's business; those of systemd's credentials are systemd's.
  private let isPrivate: Bool

  package init(path: String, isPrivate: Bool = true) {
    let file = URL(fileURLWithPath: path)
    (place, self.isPrivate) = (path, isPrivate)
    (folder, name) = (StoreDirectory(file.deletingLastPathComponent()), file.lastPathComponent)
  }

  package var mayChange: Bool { isPrivate }

  package func keys() throws -> [LoadedServerKey] {
    guard try folder.read(name, limit: ServerKeyFiles.longest) != nil else { return [] }
    guard !isPrivate || folder.isPrivate(name) else {
      throw StoreError.unavailable(
        "the server key in \(place) can be read or changed by other users; run: chmod 600 \(place); "
          + "if others may have read it, rotate it (docs/keys.md)")
    }
    return try ServerKeyFiles.key(name, in: folder, place: place).map { [$0] } ?? []
  }

  package func create(_ randomBytes: (Int) -> [UInt8]) throws -> LoadedServerKey {
    guard isPrivate else {
      throw StoreError.unavailable("there is no server key in \(place); put one there")
    }
    return try ServerKeyFiles.create(name, in: folder, place: place, randomBytes(ServerKey.length))
  }
}

/// Which files of a data folder are server keys, and how a key is written.
package enum ServerKeyFiles {
  /// What is longer than this is not looked at. Far more than a key, so that a damaged one is called damaged.
  static let longest = 4096

  /// The names of a data folder's keys, the first one first. A copy of the folder needs all of them.
  package static func names(in folder: StoreDirectory) throws -> [String] {
    let names = try folder.names()
    let next = names.filter { name in
      guard name.hasPrefix("server-"), name.hasSuffix(".key") else { return false }
      let id = name.dropFirst("server-".count).dropLast(".key".count)
      return id.count == 16 && id.allSatisfy(\.isHexDigit)
    }
    return names.filter { $0 == FolderKeySource.firstName } + next.sorted()
  }

  /// The keys of a data folder, 32 bytes each, in the order of ``names(in:)``.
  static func contents(of folder: StoreDirectory) throws -> [StoredSecret] {
    try names(in: folder).compactMap { name in
      guard let written = try folder.read(name, limit: longest) else { return nil }
      guard let bytes = ServerKeyText.bytes(written) else {
        throw StoreError.corrupt("\(folder.path(of: name)) does not hold a server key")
      }
      return StoredSecret(bytes)
    }
  }

  /// The file of a key that came after the first one.
  static func name(of key: StoredSecret) -> String {
    "server-\(LoadedServerKey(bytes: key.reveal(), place: "").id).key"
  }

  /// The key in a file; `nil` when there is none.
  static func key(_ name: String, in folder: StoreDirectory, place: String? = nil) throws -> LoadedServerKey?
  {
    guard let bytes = try folder.read(name, limit: longest) else { return nil }
    let place = place ?? folder.path(of: name)
    guard let key = ServerKeyText.bytes(bytes) else {
      throw StoreError.corrupt(
        "\(place) is not \(ServerKey.length) bytes long; it was left as it is; restore it from a backup")
    }
    return LoadedServerKey(bytes: key, place: place)
  }

  static func create(
    _ name: String, in folder: StoreDirectory, place: String? = nil, _ bytes: [UInt8]
  ) throws -> LoadedServerKey {
    let place = place ?? folder.path(of: name)
    guard bytes.count == ServerKey.length, try folder.createAtomically(name, bytes) else {
      throw StoreError.unavailable("\(place) could not be created because it appeared meanwhile; start again")
    }
    return LoadedServerKey(bytes: bytes, place: place)
  }
}
