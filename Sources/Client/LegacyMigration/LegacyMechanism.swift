package import Foundation
internal import StrictJSON

/// An account of the earlier authenticator: the properties that its mechanisms share.
package struct LegacyAccount: Sendable, Hashable {
  struct Name: Sendable, Hashable {
    let issuer: String
    let account: String
  }

  let name: Name
  package let displayIssuer: String?
  package let displayAccountName: String?
  package let imageURL: String?
  package let backgroundColor: String?
  package let policies: String?
  package let lockingPolicy: String?
  package let isLocked: Bool

  /// - Throws: ``LegacyEntry/Fault``, also for a lock or policies that cannot be read: without them the account would be less protected.
  init(_ content: Data) throws(LegacyEntry.Fault) {
    let entry = try LegacyEntry(content)
    try LegacyMechanism.refuseNewer(entry)
    name = Name(issuer: try entry.optionalText("issuer") ?? "", account: try entry.text("accountName"))
    displayIssuer = try Self.nonempty(entry, "displayIssuer")
    displayAccountName = try Self.nonempty(entry, "displayAccountName")
    imageURL = try Self.nonempty(entry, "imageURL", limit: 2048)
    backgroundColor = try Self.nonempty(entry, "backgroundColor")
    policies = try Self.nonempty(entry, "policies", limit: 8 << 10)
    lockingPolicy = try Self.nonempty(entry, "lockingPolicy")
    if let lock = entry.members["lock"], !lock.isNull {
      guard let isLocked = lock.boolValue else { throw .wrong(member: "lock", "is not true or false") }
      self.isLocked = isLocked
    } else {
      isLocked = lockingPolicy != nil
    }
  }

  private static func nonempty(
    _ entry: LegacyEntry, _ member: String, limit: Int = 256
  ) throws(LegacyEntry.Fault) -> String? {
    let text = try entry.optionalText(member, limit: limit)
    return text?.isEmpty == true ? nil : text
  }
}

/// The accounts of the earlier authenticator, by issuer and name.
package struct LegacyAccounts: Sendable {
  /// The accounts by name; `nil` for a name that several different entries have.
  private var accounts: [LegacyAccount.Name: LegacyAccount?] = [:]

  init(_ store: any LegacyStore, log: MigrationLog) async throws(LegacyMigrationError) {
    do {
      let names = try await store.entries()
      for (place, name) in names.enumerated() {
        do {
          guard let content = try await store.read(name) else { continue }
          let account = try LegacyAccount(content)
          if let known = accounts[account.name], known != account {
            accounts[account.name] = .some(nil)
          } else {
            accounts[account.name] = account
          }
        } catch let fault as LegacyEntry.Fault {
          log.w("Legacy account \(place + 1) of \(names.count) was not read: \(fault); it is left alone")
        } catch {
          log.w("Legacy account \(place + 1) of \(names.count) was not read; it is left alone", error)
        }
      }
    } catch { throw .failedToReadLegacyData(error) }
  }

  /// - Throws: ``LegacyEntry/Fault``: a mechanism without its account is incomplete, and its policies are unknown.
  func account(_ name: LegacyAccount.Name) throws(LegacyEntry.Fault) -> LegacyAccount {
    guard let found = accounts[name] else { throw .wrong(member: "account", "is missing or was not read") }
    guard let account = found else { throw .wrong(member: "account", "has several entries that differ") }
    return account
  }
}

/// A mechanism of the earlier authenticator: one way in which an account signs in, with its secret.
///
/// The member names are those of FRAuthenticator 4's JSON form; those of its archives, which ``LegacyArchive`` reads, differ in part.
package struct LegacyMechanism: Sendable {
  package enum Kind: Sendable, Hashable {
    /// `totp` or `hotp`.
    case oath(String)
    case push
  }

  /// Every member that is read, for the log.
  package static let members = [
    "mechanismUID", "type", "oathType", "issuer", "accountName", "secret", "algorithm", "digits", "counter",
    "period", "registrationEndpoint", "authenticationEndpoint", "uid", "resourceId", "timeAdded", "version",
  ]

  /// The newest known version of an entry; the earlier SDK writes it into archives only.
  private static let version = 1

  package let entry: LegacyEntry
  package let id: String
  package let kind: Kind
  package let issuer: String
  package let accountName: String
  package let secret: String
  package let userID: String?
  package let resourceID: String?
  package let timeAdded: Date?
  package let account: LegacyAccount

  /// - Throws: ``LegacyEntry/Fault`` when the entry is incomplete, of a newer version or an unknown kind, or has no account.
  package init(_ content: Data, _ accounts: LegacyAccounts) throws(LegacyEntry.Fault) {
    entry = try LegacyEntry(content)
    kind = try Self.kind(entry)
    try Self.refuseNewer(entry)
    id = try entry.text("mechanismUID")
    issuer = try entry.optionalText("issuer") ?? ""
    accountName = try entry.text("accountName")
    secret = try entry.text("secret")
    userID = try entry.optionalText("uid", limit: 2048).flatMap { $0.isEmpty ? nil : $0 }
    resourceID = try entry.optionalText("resourceId", limit: 2048).flatMap { $0.isEmpty ? nil : $0 }
    timeAdded = entry.time("timeAdded", unitsPerSecond: 1000)
    account = try accounts.account(.init(issuer: issuer, account: accountName))
  }

  /// The kind of an entry, read first, because entries of other kinds are not checked here.
  package static func kind(_ content: Data) throws(LegacyEntry.Fault) -> Kind {
    try kind(LegacyEntry(content))
  }

  private static func kind(_ entry: LegacyEntry) throws(LegacyEntry.Fault) -> Kind {
    let type = try entry.text("type").lowercased()
    switch type {
    case "push", "pushauth": return .push
    case "totp", "hotp": return .oath(type)
    case "otpauth":
      let oathType = try entry.text("oathType").lowercased()
      guard ["totp", "hotp"].contains(oathType) else {
        throw .wrong(member: "oathType", "is not known to this version")
      }
      return .oath(oathType)
    default: throw .wrong(member: "type", "is not known to this version")
    }
  }

  static func refuseNewer(_ entry: LegacyEntry) throws(LegacyEntry.Fault) {
    guard let version = entry.members["version"], !version.isNull else { return }
    guard let number = version.integerValue, (0...Int64(Self.version)).contains(number) else {
      throw .wrong(member: "version", "is not known to this version")
    }
  }
}
