public import Foundation
public import PingStorage
public import PrivateFiles

/// Legacy entries as files, for platforms without a Keychain and for tests.
///
/// An entry is a file `NAME.json` in the folder `com.forgerock.ios.devicebinding.keychainservice` of the client's home; the
/// entries of an access group are in its subfolder `GROUP.group`. Its content is the JSON object that the Keychain holds on
/// Apple platforms. The private key of an entry is in the device's key store, with the entry's `id` as its tag, and stays
/// there. Other files are ignored, so entries of other services and groups are never touched.
///
/// The file `migrated` in the same folder records the migrated key ids.
public struct FileLegacyStore: LegacyStore {
  /// The longest entry that is read, in bytes.
  static let limit = 64 << 10
  private static let ending = ".json"

  private let folder: URL
  private let record: FileStorage<Set<String>>

  /// The entries in `directory`.
  public init(directory: URL) {
    folder = directory.standardizedFileURL
    record = FileStorage(file: folder.appendingPathComponent("migrated"))
  }

  /// The entries in `home`: those of `accessGroup`, or those without a group.
  public init(accessGroup: String? = nil, home: ClientHome = .standard) {
    let service = home.directory.appendingPathComponent(LegacyService.name, isDirectory: true)
    self.init(
      directory: accessGroup.map {
        service.appendingPathComponent(fileName(for: $0) + ".group", isDirectory: true)
      } ?? service)
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

  public func noteMigrated(_ kids: Set<String>) async throws {
    if kids.isEmpty { try await record.delete() } else { try await record.save(item: kids) }
  }

  /// Writes an entry as the earlier SDK did, for tests and for devices without a Keychain.
  public func add(_ content: Data, id: String) throws {
    try ProtectedFiles.createFolder(folder)
    try ProtectedFiles.replace(url(of: fileName(for: id) + Self.ending), with: content)
  }

  private func url(of name: String) -> URL { folder.appendingPathComponent(name) }
}
