internal import Bytes
internal import Foundation
internal import LegacyMigration
internal import StrictJSON

/// A legacy entry's content as a key, checked.
enum LegacyKey {
  static let known = [
    "id", "userId", "userName", "kid", "authType", "createdAt", "biometricDomainState",
  ]

  /// The key that `content` describes.
  ///
  /// The members `id`, `userId`, `kid` and `authType` are required and have no defaults: an unknown `authType` must not become a
  /// weaker protection. The user name may be absent. An entry without a usable `createdAt` counts as made at `now`.
  static func userKey(_ content: Data, now: Date) throws(LegacyEntry.Fault) -> UserKey {
    let entry = try LegacyEntry(content)
    guard let authType = DeviceBindingAuthenticationType(rawValue: try entry.text("authType")) else {
      throw .wrong(member: "authType", "is not known to this version")
    }
    var state: Data?
    if let member = entry.members["biometricDomainState"], !member.isNull {
      // A key without this state would not notice a changed enrolment.
      guard let bytes = member.stringValue.flatMap({ PaddedBase64.decode($0) }) else {
        throw .wrong(member: "biometricDomainState", "is not valid Base64")
      }
      state = Data(bytes)
    }
    return UserKey(
      keyTag: try entry.text("id"), userId: try entry.text("userId"),
      username: entry.members["userName"]?.stringValue ?? "", kid: try entry.text("kid"), authType: authType,
      createdAt: entry.time("createdAt") ?? now, biometricDomainState: state)
  }
}

/// The target of migrated keys. The private keys are not touched: the new descriptions have the legacy tags.
struct UserKeysTarget: MigrationTarget {
  let storage: UserKeysStorage
  let now: @Sendable () -> Date

  var words: MigrationWords {
    MigrationWords(
      one: "key", many: "user keys", id: "key id", decoded: "key for user: (redacted)",
      members: LegacyKey.known)
  }

  func item(_ content: Data) throws(LegacyEntry.Fault) -> UserKey? {
    try LegacyKey.userKey(content, now: now())
  }

  func id(of key: UserKey) -> String { key.kid }

  func adopt(_ keys: [UserKey]) async throws -> MigrationAdoption { try await storage.adopt(keys) }
}
