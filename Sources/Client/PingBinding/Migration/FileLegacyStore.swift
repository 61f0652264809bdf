public import Foundation
public import PingStorage
public import PrivateFiles

/// Legacy entries as files, for platforms without a Keychain and for tests.
///
/// An entry is a file `NAME.json` in the folder `com.forgerock.ios.devicebinding.keychainservice` of the client's home; the
/// entries of an access group are in its sub-folder `GROUP.group`. Its content is the JSON object that the Keychain holds on
/// Apple platforms. The private key of an entry is in the device's key store, under the entry's `id` as its tag, and stays
/// there. Files of other names are not looked at, so entries of other services and groups are never touched.
///
/// The record of what has been migrated is the file `migrated` in the same folder.
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

  /// The entries in `home`, those of `accessGroup` or those without a group.
  public init(accessGroup: String? = nil, home: ClientHome = .standard) {
    let service = home.directory.appendingPathComponent(LegacyService.name, isDirectory: true)
    guard let accessGroup else {
      self.init(directory: service)
      return
    }
    self.init(
      directory: service.appendingPathComponent(fileName(for: accessGroup) + ".group", isDirectory: true))
  }

  public var name: String { folder.path }

  public func entries() throws -> [String] {
    try ProtectedFiles.names(in: folder).filter { $0.hasSuffix(Self.ending) }
  }

  public func read(_ name: String) throws -> Data? {
    try ProtectedFiles.read(url(of: name), limit: Self.limit).map { Data($0) }
  }

  public func delete(_ name: String, content: Data) throws {
    let file = url(of: name)
    guard let bytes = try ProtectedFiles.read(file, limit: Self.limit), Data(bytes) == content else { return }
    try ProtectedFiles.remove(file)
  }

  public func migrated() async throws -> Set<String> { try await record.get() ?? [] }

  public func noteMigrated(_ kids: Set<String>) async throws {
    if kids.isEmpty { try await record.delete() } else { try await record.save(item: kids) }
  }

  /// Puts an entry down as the earlier SDK did: what a device without a Keychain, or a test, starts from.
  public func add(_ content: Data, id: String) throws {
    try ProtectedFiles.createFolder(folder)
    try ProtectedFiles.replace(url(of: fileName(for: id) + Self.ending), with: content)
  }

  private func url(of name: String) -> URL { folder.appendingPathComponent(name) }
}
