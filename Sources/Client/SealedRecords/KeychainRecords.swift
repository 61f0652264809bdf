#if canImport(Security)
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
    ///   - flags: Who has to be there when an item is read; nobody when empty.
    ///   - prompt: What that person is told.
    package init(
      accessibility: CFString, flags: SecAccessControlCreateFlags = [], prompt: String? = nil
    ) {
      self.accessibility = accessibility
      self.flags = flags
      self.prompt = prompt
    }

    /// The attributes of a new item; `nil` when the system cannot protect one like that.
    fileprivate var attributes: [CFString: Any]? {
      guard !flags.isEmpty else { return [kSecAttrAccessible: accessibility] }
      guard let control = SecAccessControlCreateWithFlags(nil, accessibility, flags, nil) else { return nil }
      return [kSecAttrAccessControl: control]
    }

    /// Asks the person once for all items that are read with it.
    fileprivate var context: [CFString: Any] {
      guard !flags.isEmpty else { return [:] }
      let context = LAContext()
      if let prompt { context.localizedReason = prompt }
      return [kSecUseAuthenticationContext: context]
    }
  }

  /// The generic passwords of one service: the account is the record's id, the value its JSON form.
  package struct KeychainRecords<Failure: Error>: Sendable {
    private let service: String
    private let accessGroup: String?
    private let protection: KeychainProtection
    private let logger: any Logger
    private let failure: @Sendable (_ what: String, _ cause: (any Error)?) -> Failure

    package init(
      service: String, accessGroup: String?, protection: KeychainProtection, logger: any Logger,
      failure: @escaping @Sendable (_ what: String, _ cause: (any Error)?) -> Failure
    ) {
      self.service = service
      self.accessGroup = accessGroup
      self.protection = protection
      self.logger = logger
      self.failure = failure
    }

    package func write(_ record: some Encodable, id: String) throws {
      let value = try value(of: record, id)
      // An item that is there is updated in place, so that a failure cannot lose it.
      var status = SecItemUpdate(query(id) as CFDictionary, value as CFDictionary)
      if status == errSecItemNotFound {
        guard let attributes = protection.attributes else {
          throw failure("record \(id) cannot be protected as asked for", nil)
        }
        status = SecItemAdd(query(id).merging(value) { $1 }.merging(attributes) { $1 } as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw failed("record \(id) was not stored", status) }
    }

    /// Changes the record with one conditional write: when another process was faster, its record is changed instead.
    ///
    /// - Returns: What `change` returns; `nil` when there is no such record.
    package func update<Record: Codable, Value>(
      _ type: Record.Type, id: String, _ change: (inout Record) throws -> Value
    ) throws -> Value? {
      while true {
        guard let (stored, revision) = try readWithRevision(type, id: id) else { return nil }
        var record = stored
        let result = try change(&record)
        var query = query(id)
        // Items of other programs have no revision yet.
        if let revision { query[kSecAttrGeneric] = revision }
        switch SecItemUpdate(query as CFDictionary, try value(of: record, id) as CFDictionary) {
        case errSecSuccess: return result
        case errSecItemNotFound: continue
        case let status: throw failed("record \(id) was not stored", status)
        }
      }
    }

    package func read<Record: Decodable>(_ type: Record.Type, id: String) throws -> Record? {
      try readWithRevision(type, id: id)?.record
    }

    private func readWithRevision<Record: Decodable>(
      _ type: Record.Type, id: String
    ) throws -> (record: Record, revision: Data?)? {
      var result: CFTypeRef?
      let query = query(id).merging([
        kSecReturnData: true, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitOne,
      ]) { $1 }.merging(protection.context) { $1 }
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let item = result as? [String: Any],
        let data = item[kSecValueData as String] as? Data
      else { throw failed("record \(id) was not read", status) }
      do { return (try RecordCoder.decode(type, from: data), item[kSecAttrGeneric as String] as? Data) } catch
      {
        throw failure("record \(id) is damaged", error)
      }
    }

    /// Records that cannot be read are left out, with a line in the log: one must not hide the others.
    package func all<Record: Decodable>(_ type: Record.Type) throws -> [Record] {
      var result: CFTypeRef?
      let query = query(nil).merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]) { $1 }
        .merging(protection.context) { $1 }
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return [] }
      guard status == errSecSuccess, let values = result as? [Data] else {
        throw failed("the records were not read", status)
      }
      return values.compactMap { data in
        do { return try RecordCoder.decode(type, from: data) } catch {
          logger.w("A stored \(type) cannot be read and is left out", error: error)
          return nil
        }
      }
    }

    package func remove(id: String?) throws -> Bool {
      let status = SecItemDelete(query(id) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw failed("the record was not removed", status)
      }
      return status == errSecSuccess
    }

    /// The record with a new revision, by which a conditional write knows that it is the one that was read.
    private func value(of record: some Encodable, _ id: String) throws -> [CFString: Any] {
      do {
        return [
          kSecValueData: try RecordCoder.encode(record), kSecAttrGeneric: Data(UUID().uuidString.utf8),
        ]
      } catch {
        throw failure("record \(id) has no JSON form", error)
      }
    }

    private func query(_ id: String?) -> [CFString: Any] {
      var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
      if let id { query[kSecAttrAccount] = id }
      if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
      return query
    }

    private func failed(_ what: String, _ status: OSStatus) -> Failure {
      failure("\(what): keychain status \(status)", nil)
    }
  }
#endif
