internal import Foundation
internal import LegacyMigration

/// The target of migrated one-time codes.
struct OathMigrationTarget: MigrationTarget {
  let storage: any OathTransactionalStorage
  let accounts: LegacyAccounts
  let now: @Sendable () -> Date

  var words: MigrationWords {
    MigrationWords(
      one: "one-time code", many: "one-time codes", id: "mechanism id", decoded: "one-time code",
      members: LegacyMechanism.members)
  }

  /// - Throws: Also when digits, algorithm, period or counter are missing: with defaults, codes would be wrong or used again.
  func item(_ content: Data) throws(LegacyEntry.Fault) -> OathCredential? {
    guard case .oath(let name) = try LegacyMechanism.kind(content) else { return nil }
    let mechanism = try LegacyMechanism(content, accounts)
    let (entry, account) = (mechanism.entry, mechanism.account)
    guard let type = OathType(rawValue: name) else {
      throw .wrong(member: "type", "is not known to this version")
    }
    guard let algorithm = try? OathAlgorithm.fromString(try entry.text("algorithm")) else {
      throw .wrong(member: "algorithm", "is missing or not known to this version")
    }
    let credential = OathCredential(
      id: mechanism.id, userId: mechanism.userID, resourceId: mechanism.resourceID, issuer: mechanism.issuer,
      displayIssuer: account.displayIssuer, accountName: mechanism.accountName,
      displayAccountName: account.displayAccountName, oathType: type, oathAlgorithm: algorithm,
      digits: try entry.integer("digits"), period: type == .totp ? try entry.integer("period") : 30,
      counter: type == .hotp ? try entry.integer("counter") : 0, createdAt: mechanism.timeAdded ?? now(),
      imageURL: account.imageURL, backgroundColor: account.backgroundColor, policies: account.policies,
      lockingPolicy: account.lockingPolicy, isLocked: account.isLocked, secretKey: mechanism.secret)
    do throws(OathError) { try credential.validate(isNew: false) } catch {
      throw .unusable(error.localizedDescription)
    }
    return credential
  }

  func id(of credential: OathCredential) -> String { credential.id }

  func adopt(_ credentials: [OathCredential]) async throws -> MigrationAdoption {
    var adoption = MigrationAdoption()
    for credential in credentials {
      do {
        try await storage.addOathCredential(credential)
        adoption.added.insert(credential.id)
      } catch OathStorageError.duplicateCredential {
        guard let stored = try await storage.retrieveOathCredential(credentialId: credential.id),
          stored.makesCodes(of: credential)
        else {
          adoption.refused.insert(credential.id)
          continue
        }
        adoption.known.insert(credential.id)
        try await raiseCounter(credential)
      }
      let stored = try await storage.retrieveOathCredential(credentialId: credential.id)
      guard let stored, stored.makesCodes(of: credential), stored.counter >= credential.counter else {
        throw OathStorageError.storageFailure(
          "the credential \(credential.id) was not read back as it was stored")
      }
    }
    return adoption
  }

  /// Raises the counters that the earlier SDK has used up since they were copied.
  func catchUp(with credentials: [OathCredential]) async throws {
    for credential in credentials { try await raiseCounter(credential) }
  }

  /// Raises the stored counter to the one of `credential` if that is higher, and changes nothing else.
  private func raiseCounter(_ credential: OathCredential) async throws {
    guard credential.oathType == .hotp else { return }
    _ = try await storage.updateOathCredential(credentialId: credential.id) { stored in
      if stored.makesCodes(of: credential) { stored.counter = max(stored.counter, credential.counter) }
    }
  }
}

extension OathCredential {
  /// Whether this credential makes the same codes as `other`, for the same account; the counter and the displayed values may differ.
  fileprivate func makesCodes(of other: OathCredential) -> Bool {
    id == other.id && issuer == other.issuer && accountName == other.accountName && oathType == other.oathType
      && oathAlgorithm == other.oathAlgorithm && digits == other.digits && period == other.period
      && secretKey.isSame(as: other.secretKey)
  }
}
