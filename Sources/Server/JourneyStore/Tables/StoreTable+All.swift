extension StoreTable {
  /// All tables. A table comes before those that refer to it.
  package static let all = [
    users, sessions, boundDevices, webAuthnDevices, oathDevices, oathAccounts, pushDevices, pushAccounts,
    pushMessages, pushInboxes, pushDecisions, recoveryCodes, identityValues, identityIndex, grants, consents,
    logoutNotices, lockouts, lockedNames, consumed, applications, transactions, suspendedJourneys,
    journeyAttempts, activityCounts, sshAuthorities, sshKeys, sshCertificates, realms, realmVersion, evidence,
    evidenceLedger, evidenceLanes,
    evidenceEpochs, evidenceRetention, evidenceUse, serverSecrets, serverKeys, serverKeyHolders,
  ]

  /// The names of a version's tables that hold something encrypted under a server key.
  package static func sealed(upTo version: Int, in kind: StoreKind) -> [String] {
    sealed.filter { $0.since[kind] ?? .max <= version }.map(\.name)
  }
}
