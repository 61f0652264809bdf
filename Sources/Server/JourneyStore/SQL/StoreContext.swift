internal import Concurrency
internal import EvidenceLedger

/// What the operations of a ``ServerStore`` need beside its database.
public struct StoreContext: Sendable {
  /// Encrypts what is secret in the rows.
  let serverKey: ServerKey
  let ledger: SealedLedger

  /// In the data folder; a store in memory has none.
  let mark: LedgerMark?
  let quotas: StoreQuotas
  let strangers = StrangerCount()

  /// What accounts are found by.
  let index = Locked(IdentityIndex.standard)

  package init(serverKey: ServerKey, ledger: SealedLedger, mark: LedgerMark?, quotas: StoreQuotas) {
    (self.serverKey, self.ledger, self.mark, self.quotas) = (serverKey, ledger, mark, quotas)
  }
}

extension ServerStore {
  package var serverKey: ServerKey { context.serverKey }
  package var ledger: SealedLedger { context.ledger }
  package var quotas: StoreQuotas { context.quotas }

  /// Says durably, beside the database, which ledger it has (``LedgerMark``), under the key in use.
  package func markLedger() throws { try context.mark?.keep(ledger.fingerprint, serverKey) }
}
