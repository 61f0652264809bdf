#if canImport(Security)
  internal import Concurrency
  internal import Foundation
  internal import LocalAuthentication
  package import PingLogger
  package import Security

  /// How the items of ``KeychainRecords`` are protected.
  // `accessibility` is an immutable string of the system's; every other stored property is Sendable.
  package struct KeychainProtection: @unchecked Sendable {
    let accessibility: CFString
    let flags: SecAccessControlCreateFlags
    let prompt: String?

    /// - Parameters:
    ///   - flags: How the person must authenticate when an item is read; not at all when empty.
    ///   - prompt: The text that the person is shown.
    package init(
      accessibility: CFString, flags: SecAccessControlCreateFlags = [], prompt: String? = nil
    ) {
      self.accessibility = accessibility
      self.flags = flags
      self.prompt = prompt
    }

    /// The attributes of a new item; `nil` when the system does not offer that protection.
    fileprivate var attributes: [CFString: Any]? {
      guard !flags.isEmpty else { return [kSecAttrAccessible: accessibility] }
      guard let control = SecAccessControlCreateWithFlags(nil, accessibility, flags, nil) else { return nil }
      return [kSecAttrAccessControl: control]
    }

    /// The attributes for reading. One context asks the person once for all items that are read with it.
    fileprivate var context: [CFString: Any] {
      guard !flags.isEmpty else { return [:] }
      let context = LAContext()
      if let prompt { context.localizedReason = prompt }
      return [kSecUseAuthenticationContext: context]
    }
  }

  /// The app's keychain.
  package struct KeychainEngine<Failure: Error>: RecordEngine {
    let accessGroup: String?
    let protection: KeychainProtection
    let logger: any Logger
    let failure: @Sendable (_ what: String, _ cause: (any Error)?) -> Failure

    /// - Parameter accessGroup: The keychain access group of the apps that share the records.
    package init(
      accessGroup: String?, protection: KeychainProtection, logger: any Logger,
      failure: @escaping @Sendable (_ what: String, _ cause: (any Error)?) -> Failure
    ) {
      (self.accessGroup, self.protection, self.logger, self.failure) = (
        accessGroup, protection, logger, failure
      )
    }

    package func records<Record>(_ kind: RecordKind<Record>, service: String) -> any RecordStore<Record> {
      KeychainRecords(engine: self, kind: kind, service: service)
    }
  }

  /// The generic passwords of one service: the account is the record's id, the value its JSON form.
  ///
  /// Changes are serialised within this process.
  private struct KeychainRecords<Record: Codable & Sendable, Failure: Error>: RecordStore, RecordTable {
    let engine: KeychainEngine<Failure>
    let kind: RecordKind<Record>
    let service: String
    let mutex = AsyncMutex()

    func write<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (any RecordTable<Record>) throws -> Value
    ) async throws -> Value {
      try await mutex.withLock { try await read(what, body) }
    }

    func read<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (any RecordTable<Record>) throws -> Value
    ) async throws -> Value {
      do { return try body(self) } catch let damage as DamagedRecord { throw engine.failure(what, damage) }
    }

    func put(_ record: Record) throws {
      let id = kind.id(record)
      let value = try value(of: record)
      // An existing item is updated in place, so that a failure cannot lose it.
      var status = SecItemUpdate(query(id) as CFDictionary, value as CFDictionary)
      if status == errSecItemNotFound {
        guard let attributes = engine.protection.attributes else {
          throw engine.failure("the \(kind.name) \(id) cannot be protected as asked for", nil)
        }
        status = SecItemAdd(query(id).merging(value) { $1 }.merging(attributes) { $1 } as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw failed("the \(kind.name) \(id) was not stored", status) }
    }

    /// If another process was faster, changes that process's record.
    func update<Value>(_ id: String, _ change: (inout Record) throws -> Value) throws -> Value? {
      while true {
        guard let (stored, revision) = try readWithRevision(id) else { return nil }
        var record = stored
        let result = try change(&record)
        var query = query(id)
        // Items of other programs have no revision yet.
        if let revision { query[kSecAttrGeneric] = revision }
        switch SecItemUpdate(query as CFDictionary, try value(of: record) as CFDictionary) {
        case errSecSuccess: return result
        case errSecItemNotFound: continue
        case let status: throw failed("the \(kind.name) \(id) was not stored", status)
        }
      }
    }

    func read(_ id: String) throws -> Record? { try readWithRevision(id)?.record }

    private func readWithRevision(_ id: String) throws -> (record: Record, revision: Data?)? {
      var result: CFTypeRef?
      let query = query(id).merging([
        kSecReturnData: true, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitOne,
      ]) { $1 }.merging(engine.protection.context) { $1 }
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let item = result as? [String: Any],
        let data = item[kSecValueData as String] as? Data
      else { throw failed("the \(kind.name) \(id) was not read", status) }
      do {
        return (try RecordCoder.decode(Record.self, from: data), item[kSecAttrGeneric as String] as? Data)
      } catch {
        throw DamagedRecord(kind: kind.name, id: id, cause: error)
      }
    }

    func records(where conditions: [RecordCondition], limit: Int?) throws -> [Record] {
      let found = try all().map { (record: $0, columns: columns(of: $0)) }
        .filter { found in conditions.allSatisfy { $0.holds(for: found.columns) } }
        .sorted { (created($0.columns), kind.id($0.record)) < (created($1.columns), kind.id($1.record)) }
        .map(\.record)
      return limit.map { Array(found.prefix(max(0, $0))) } ?? found
    }

    func count(where conditions: [RecordCondition]) throws -> Int {
      try records(where: conditions, limit: nil).count
    }

    private func all() throws -> [Record] {
      var result: CFTypeRef?
      let query = query(nil).merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]) { $1 }
        .merging(engine.protection.context) { $1 }
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return [] }
      guard status == errSecSuccess, let values = result as? [Data] else {
        throw failed("the records were not read", status)
      }
      return values.compactMap { data in
        do { return try RecordCoder.decode(Record.self, from: data) } catch {
          engine.logger.w("A stored \(kind.name) cannot be read and is left out", error: error)
          return nil
        }
      }
    }

    private func columns(of record: Record) -> [String: RecordValue] {
      kind.columns(record).merging(["id": .text(kind.id(record))]) { $1 }
    }

    private func created(_ columns: [String: RecordValue]) -> Date {
      if case .time(let date) = columns["created"] { date } else { .distantPast }
    }

    func remove(_ id: String) throws -> Bool { try delete(id) }

    func remove(where conditions: [RecordCondition], limit: Int?) throws -> Int {
      try records(where: conditions, limit: limit).count { try delete(kind.id($0)) }
    }

    func removeAll() throws { _ = try delete(nil) }

    private func delete(_ id: String?) throws -> Bool {
      let status = SecItemDelete(query(id) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw failed("the \(kind.name) was not removed", status)
      }
      return status == errSecSuccess
    }

    /// The record with a new revision, which tells a conditional write whether the record has changed since it was read.
    private func value(of record: Record) throws -> [CFString: Any] {
      do {
        return [
          kSecValueData: try RecordCoder.encode(record), kSecAttrGeneric: Data(UUID().uuidString.utf8),
        ]
      } catch {
        throw engine.failure("the \(kind.name) \(kind.id(record)) has no JSON form", error)
      }
    }

    private func query(_ id: String?) -> [CFString: Any] {
      var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
      if let id { query[kSecAttrAccount] = id }
      if let accessGroup = engine.accessGroup { query[kSecAttrAccessGroup] = accessGroup }
      return query
    }

    private func failed(_ what: String, _ status: OSStatus) -> Failure {
      engine.failure("\(what): keychain status \(status)", nil)
    }
  }

  extension RecordCondition {
    fileprivate func holds(for columns: [String: RecordValue]) -> Bool {
      switch self {
      case .equal(let column, let value): return value != .none && columns[column] == value
      case .before(let column, let limit):
        if case .time(let date) = columns[column] { return date < limit }
      case .notBefore(let column, let limit):
        if case .time(let date) = columns[column] { return date >= limit }
      }
      return false
    }
  }
#endif
