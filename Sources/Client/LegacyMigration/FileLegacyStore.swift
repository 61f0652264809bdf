public import Foundation
public import PingStorage
public import PrivateFiles

/// Legacy entries as files, for platforms without a Keychain and for tests.
///
/// An entry is a file `NAME.json` in a folder of the client's home that has its service's name; the entries of an access group are in
/// its subfolder `GROUP.group`. Its content is the JSON object of a bound key, an account or a mechanism. The private key of a bound
/// key is in the device's key store, with the entry's `id` as its tag, and stays there. Other files are ignored, so entries of other
/// services and groups are never touched.
///
/// A file in the same folder records the migrated ids.
public struct FileLegacyStore: LegacyStore {
  /// The longest entry that is read, in bytes.
  static let limit = 64 << 10
  private static let ending = ".json"

  private let folder: URL
  private let record: FileStorage<Set<String>>

  /// The entries in `directory`.
  ///
  /// - Parameter record: The name of the file with the migrated ids; each reader of the same entries has its own.
  public init(directory: URL, record: String = "migrated") {
    folder = directory.standardizedFileURL
    self.record = FileStorage(file: folder.appendingPathComponent(record))
  }

  /// The entries in `home`: those of `accessGroup`, or those without a group.
  public init(
    service: String = LegacyService.deviceBinding, accessGroup: String? = nil, home: ClientHome = .standard,
    record: String = "migrated"
  ) {
    let service = home.directory.appendingPathComponent(service, isDirectory: true)
    self.init(
      directory: accessGroup.map {
        service.appendingPathComponent(fileName(for: $0) + ".group", isDirectory: true)
      } ?? service, record: record)
  }

  public var name: String { folder.path }

  public func entries() throws -> [String] {
    try ProtectedFiles.names(in: folder).filter { $0.hasSuffix(Self.ending) }
  }

  public func read(_ name: String) throws -> Data? {
    try ProtectedFiles.read(url(of: name), limit: Self.limit).map { Data($0) }
  }

  public func delete(_ name: String, content: Data) throws {
    if try read(name) == content { try ProtectedFiles.remove(url(of: name)) }
  }

  public func migrated() async throws -> Set<String> { try await record.get() ?? [] }

  public func noteMigrated(_ ids: Set<String>) async throws {
    if ids.isEmpty { try await record.delete() } else { try await record.save(item: ids) }
  }

  /// Writes an entry as the earlier SDK did, for tests and for devices without a Keychain.
  public func add(_ content: Data, id: String) throws {
    try ProtectedFiles.createFolder(folder)
    try ProtectedFiles.replace(url(of: fileName(for: id) + Self.ending), with: content)
  }

  private func url(of name: String) -> URL { folder.appendingPathComponent(name) }
}
