package import DeviceKeys
public import Foundation
internal import PrivateFiles

/// Encrypts the records of a ``CredentialStore``.
public protocol CredentialEncryption: Sendable {
  /// The encrypted form of `record`. When it throws, nothing is kept in clear.
  func encrypt(_ record: Data) async throws -> Data

  /// The record that ``encrypt(_:)`` encrypted; `nil` when it was changed since, or encrypted with another key.
  func decrypt(_ record: Data) async throws -> Data?
}

/// Keeps the records of a device's credentials. Their private keys are in a key store.
///
/// Each is an encrypted file of mode 0600 in a folder of mode 0700. Several processes may use one folder. A change is durable when
/// a call returns, and a crash leaves all of it or nothing. A damaged file is reported by its path and left as it is.
///
/// A record is written before its key is made and removed after its key. So whatever a crash leaves behind is known, and is removed when
/// the next credential is made.
public struct CredentialStore: Sendable {
  private let files: KeyFolder
  private let encryption: any CredentialEncryption

  /// The store in `directory`, which is created with the first credential.
  ///
  /// - Parameter encryption: Encrypts the files.
  public init(directory: URL, encryption: any CredentialEncryption) {
    files = KeyFolder(
      directory.standardizedFileURL, suffix: "credential", limit: 2 * CredentialRecord.maximumBytes)
    self.encryption = encryption
  }

  /// The credentials that are in use, oldest first.
  ///
  /// - Parameter relyingPartyID: Only those of this relying party.
  /// - Throws: `DeviceKeyError.unreadable` when one of them cannot be read: a list that leaves out what is damaged would look
  ///   complete.
  public func credentials(relyingPartyID: String? = nil) async throws -> [PublicKeyCredentialSource] {
    let (sources, faults) = try await readable(relyingPartyID: relyingPartyID)
    if let fault = faults.first { throw fault }
    return sources
  }

  /// The readable credentials that are in use, oldest first, and the errors of the unreadable ones: for a caller that can do without a
  /// damaged one.
  package func readable(
    relyingPartyID: String? = nil
  ) async throws -> (sources: [PublicKeyCredentialSource], faults: [DeviceKeyError]) {
    let (records, faults) = try await readableRecords()
    let sources = records.filter { $0.doomedAt == nil }.map(\.source)
      .filter { relyingPartyID == nil || $0.relyingPartyID == relyingPartyID }
      .sorted { ($0.createdAt, $0.keyTag) < ($1.createdAt, $1.keyTag) }
    return (sources, faults)
  }

  /// The credential `id` of a relying party, `nil` when there is none in use.
  public func credential(_ id: [UInt8], relyingPartyID: String) async throws -> PublicKeyCredentialSource? {
    let file = files.file(of: PublicKeyCredentialSource.keyLabel(relyingPartyID: relyingPartyID, id: id))
    guard let record = try await record(in: file), record.doomedAt == nil else { return nil }
    guard record.source.id == id, record.source.relyingPartyID == relyingPartyID else {
      throw DeviceKeyError.unreadable(path: file.path, reason: "it is the file of another credential")
    }
    return record.source
  }

  // MARK: Changes

  /// Writes the record of a credential whose key is about to be made.
  ///
  /// - Parameter deadline: When it counts as abandoned.
  func reserve(_ source: PublicKeyCredentialSource, until deadline: Date) async throws {
    try reportingFiles { try files.create() }
    let record = CredentialRecord(source: source, doomedAt: deadline)
    try files.add(try await encrypted(record), for: source.keyLabel)
  }

  /// Takes a reserved credential into use.
  ///
  /// - Throws: `DeviceKeyError.notFound` when it was given up meanwhile.
  func activate(_ source: PublicKeyCredentialSource) async throws {
    try await change(source) { $0.doomedAt = nil }
  }

  /// Counts an assertion that is about to be signed; durable when it returns.
  ///
  /// - Returns: The new count.
  /// - Throws: `DeviceKeyError.notFound` when the credential was removed meanwhile.
  func increaseSignCount(of source: PublicKeyCredentialSource) async throws -> UInt32 {
    try await change(source) { record in
      guard record.doomedAt == nil else { throw DeviceKeyError.notFound(tag: source.keyLabel) }
      guard record.source.signCount < .max else {
        throw DeviceKeyError.unsupported("The key's counter is at its end. Register a new key.")
      }
      record.source.signCount += 1
    }.signCount
  }

  /// Gives a credential a scope, unless it has one or is gone.
  func adopt(_ source: PublicKeyCredentialSource, for scope: CredentialScope) async throws {
    do {
      try await change(source) { record in
        if record.source.scope == nil { record.source.scope = scope }
      }
    } catch DeviceKeyError.notFound {}
  }

  /// Changes the account names of a credential.
  ///
  /// - Throws: `DeviceKeyError.notFound` when the credential was removed meanwhile.
  package func rename(
    _ source: PublicKeyCredentialSource, userName: String, displayName: String
  ) async throws {
    try await change(source) { record in
      record.source.userName = userName
      record.source.roaming?.displayName = displayName
    }
  }

  /// Takes a credential out of use. Its key is removed next, and ``remove(_:)`` then removes the record. Succeeds when it is gone.
  func doom(_ source: PublicKeyCredentialSource) async throws {
    do {
      try await change(source) { $0.doomedAt = Date(timeIntervalSince1970: 0) }
    } catch DeviceKeyError.notFound {}
  }

  /// Removes a record whose key is gone.
  func remove(_ source: PublicKeyCredentialSource) async throws {
    guard try reportingFiles({ try files.exists }) else { return }
    try await withLock { try ProtectedFiles.remove(files.file(of: source.keyLabel)) }
  }

  /// The readable records that crashes and unfinished removals have left behind.
  func abandoned(now: Date) async throws -> [PublicKeyCredentialSource] {
    try await readableRecords().contents.filter { $0.doomedAt.map { $0 <= now } ?? false }.map(\.source)
  }

  /// Removes the files that cannot be read. Which keys they belong to is not known any more.
  ///
  /// - Returns: The number of removed files.
  package func removeUnreadable() async throws -> Int {
    guard try reportingFiles({ try files.exists }) else { return 0 }
    return try await withLock {
      var count = 0
      for file in try files.files {
        do { _ = try await record(in: file) } catch DeviceKeyError.unreadable {
          try ProtectedFiles.remove(file)
          count += 1
        }
      }
      return count
    }
  }

  /// The tags of the keys of all readable records, including those that are not in use.
  package func keyTags() async throws -> Set<String> {
    Set(try await readableRecords().contents.map(\.source.keyTag))
  }

  // MARK: Files

  @discardableResult
  private func change(
    _ source: PublicKeyCredentialSource, _ body: (inout CredentialRecord) throws -> Void
  ) async throws -> PublicKeyCredentialSource {
    guard try reportingFiles({ try files.exists }) else {
      throw DeviceKeyError.notFound(tag: source.keyLabel)
    }
    return try await withLock {
      let file = files.file(of: source.keyLabel)
      guard var record = try await record(in: file) else {
        throw DeviceKeyError.notFound(tag: source.keyLabel)
      }
      try body(&record)
      let bytes = try await encrypted(record)
      try ProtectedFiles.replace(file, with: bytes)
      return record.source
    }
  }

  private func readableRecords() async throws -> (contents: [CredentialRecord], faults: [DeviceKeyError]) {
    try await files.readable { try await record(in: $0) }
  }

  private func record(in file: URL) async throws -> CredentialRecord? {
    guard let bytes = try reportingFiles({ try files.read(file) }) else { return nil }
    guard let content = try await encryption.decrypt(Data(bytes)) else {
      throw DeviceKeyError.unreadable(
        path: file.path, reason: "it was changed, or encrypted with another key")
    }
    do throws(JSONRecord.Damage) { return try CredentialRecord(parsing: Array(content)) } catch {
      throw DeviceKeyError.unreadable(path: file.path, reason: error.reason)
    }
  }

  private func encrypted(_ record: CredentialRecord) async throws -> [UInt8] {
    Array(try await encryption.encrypt(Data(record.serialized)))
  }

  private func withLock<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await FileLock(file: files.url.appendingPathComponent(".credentials.lock")).withLock(body)
    } catch let error as FileStorageError {
      throw error.forKeys
    }
  }
}
