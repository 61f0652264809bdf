internal import Concurrency
internal import EvidenceLedger

/// What the operations of a ``ServerStore`` need beside its database.
public struct StoreContext: Sendable {
  /// Encrypts the secrets in the rows.
  let serverKey: ServerKey
  let ledger: SealedLedger

  /// The mark in the data folder; `nil` for a store in memory.
  let mark: LedgerMark?
  let quotas: StoreQuotas
  let strangers = StrangerCount()

  /// The index that finds accounts.
  let index = Locked(IdentityIndex.standard)

  package init(serverKey: ServerKey, ledger: SealedLedger, mark: LedgerMark?, quotas: StoreQuotas) {
    (self.serverKey, self.ledger, self.mark, self.quotas) = (serverKey, ledger, mark, quotas)
  }
}

extension ServerStore {
  package var serverKey: ServerKey { context.serverKey }
  package var ledger: SealedLedger { context.ledger }
  package var quotas: StoreQuotas { context.quotas }

  /// Records durably, outside the database, which ledger it has (``LedgerMark``), under the key in use.
  package func markLedger() throws { try context.mark?.keep(ledger.fingerprint, serverKey) }
}
