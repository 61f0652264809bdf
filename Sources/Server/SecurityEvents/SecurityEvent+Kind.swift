extension SecurityEvent {
  /// The kind of an event. Its raw value is the member `event`, whose meaning never changes.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    // The server
    case serverStarted = "server.started"
    case serverStopped = "server.stopped"
    case checkpointPublished = "checkpoint.published"
    case ledgerRemovalBegan = "ledger.removal-began"
    case ledgerContentRemoved = "ledger.content-removed"

    // Signing in
    case signInSucceeded = "sign-in.succeeded"
    case signInRefused = "sign-in.refused"
    case requestRefused = "request.refused"
    case lockBegan = "lock.began"
    case lockLifted = "lock.lifted"

    /// A code, refresh token or proof was used a second time, or by a client that lacks the key or secret it is bound to.
    case tokenMisused = "token.misused"

    /// A node returned an outcome from its configuration, instead of asking the service that decides it.
    case serviceSimulated = "service.simulated"

    // Transactions
    case transactionApproved = "transaction.approved"
    case transactionRefused = "transaction.refused"

    // Sessions
    case sessionEnded = "session.ended"

    // Accounts
    case accountCreated = "account.created"
    case accountChanged = "account.changed"
    case accountDeleted = "account.deleted"
    case accountActivated = "account.activated"
    case accountDeactivated = "account.deactivated"
    case passwordChanged = "password.changed"
    case passwordReset = "password.reset"
    case accountReported = "account.reported"

    /// The owner of an account opened a link sent to one of its addresses.
    case mailConfirmed = "mail.confirmed"

    case roleGranted = "role.granted"
    case roleRevoked = "role.revoked"

    // Factors
    case deviceAdded = "device.added"
    case deviceRenamed = "device.renamed"
    case deviceRemoved = "device.removed"
    case devicesReset = "devices.reset"
    case recoveryCodesMade = "recovery-codes.made"
    case recoveryCodeUsed = "recovery-code.used"

    // SSH
    case sshCertificateIssued = "ssh-certificate.issued"
    case sshCertificatesRevoked = "ssh-certificate.revoked"
    case sshAuthorityChanged = "ssh-authority.changed"

    // Applications
    case applicationCreated = "application.created"
    case applicationDeleted = "application.deleted"

    // Journeys
    case journeyChanged = "journey.changed"
    case journeyProposed = "journey.proposed"
    case journeyWithdrawn = "journey.withdrawn"

    // Realms
    case realmCreated = "realm.created"
    case realmDeleted = "realm.deleted"
  }
}
