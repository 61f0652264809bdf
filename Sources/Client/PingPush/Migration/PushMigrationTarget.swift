internal import Foundation
internal import LegacyMigration
internal import PushFormats

/// The target of migrated push accounts.
struct PushMigrationTarget: MigrationTarget {
  let storage: any PushStorage
  let accounts: LegacyAccounts
  let now: @Sendable () -> Date

  var words: MigrationWords {
    MigrationWords(
      one: "push account", many: "push accounts", id: "mechanism id", decoded: "push account",
      members: LegacyMechanism.members)
  }

  func item(_ content: Data) throws(LegacyEntry.Fault) -> PushCredential? {
    guard try LegacyMechanism.kind(content) == .push else { return nil }
    let mechanism = try LegacyMechanism(content, accounts)
    let account = mechanism.account
    let names = [
      mechanism.id, mechanism.issuer, mechanism.accountName, account.displayIssuer ?? "",
      account.displayAccountName ?? "",
    ]
    let (registration, answers): (PushServerURL, PushServerURL)
    let secret: PushSecret
    do throws(PushFormatError) {
      for name in names { _ = try EnrolmentURI.name(name) }
    } catch { throw .unusable(error.reason) }
    registration = try Self.address("registrationEndpoint", mechanism.entry)
    answers = try Self.address("authenticationEndpoint", mechanism.entry)
    do throws(PushFormatError) { secret = try PushSecret(base64: mechanism.secret) } catch {
      throw .wrong(member: "secret", "is not Base64 of 16 to 64 bytes")
    }
    var credential = PushCredential(
      id: mechanism.id, userId: mechanism.userID, resourceId: mechanism.resourceID, issuer: mechanism.issuer,
      displayIssuer: account.displayIssuer, accountName: mechanism.accountName,
      displayAccountName: account.displayAccountName, serverEndpoint: registration.endpoint,
      sharedSecret: secret.base64, createdAt: mechanism.timeAdded ?? now(), imageURL: account.imageURL,
      backgroundColor: account.backgroundColor, policies: account.policies,
      lockingPolicy: account.lockingPolicy, isLocked: account.isLocked)
    if answers.endpoint != credential.serverEndpoint { credential.answerEndpoint = answers.endpoint }
    return credential
  }

  private static func address(
    _ member: String, _ entry: LegacyEntry
  ) throws(LegacyEntry.Fault) -> PushServerURL {
    let text = try entry.text(member, limit: 2048)
    do throws(PushFormatError) { return try PushServerURL(text) } catch {
      throw .wrong(member: member, "is not the address of a server")
    }
  }

  func id(of credential: PushCredential) -> String { credential.id }

  func adopt(_ credentials: [PushCredential]) async throws -> MigrationAdoption {
    var adoption = MigrationAdoption()
    for credential in credentials {
      if let stored = try await storage.retrievePushCredential(credentialId: credential.id) {
        if stored.isRegistration(of: credential) {
          adoption.known.insert(credential.id)
        } else {
          adoption.refused.insert(credential.id)
        }
        continue
      }
      let other = try await storage.getCredentialByIssuerAndAccount(
        issuer: credential.issuer, accountName: credential.accountName)
      guard other == nil else {
        adoption.refused.insert(credential.id)
        continue
      }
      try await storage.storePushCredential(credential)
      guard let stored = try await storage.retrievePushCredential(credentialId: credential.id),
        stored.isRegistration(of: credential)
      else {
        throw PushStorageError.storageFailure(
          "the credential \(credential.id) was not read back as it was stored", nil)
      }
      adoption.added.insert(credential.id)
    }
    return adoption
  }
}

extension PushCredential {
  /// Whether this is the same registration as `other`, with the same secret; the displayed values may differ.
  fileprivate func isRegistration(of other: PushCredential) -> Bool {
    guard let one = try? secret(), let two = try? other.secret() else { return false }
    return id == other.id && issuer == other.issuer && accountName == other.accountName && one == two
      && serverEndpoint == other.serverEndpoint && answerEndpoint == other.answerEndpoint
  }
}
