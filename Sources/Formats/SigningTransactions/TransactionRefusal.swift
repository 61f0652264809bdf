/// Why a transaction can no longer be approved, as a server tells a device that knows the transaction's id: `detail.errorCode` of the
/// refusal.
///
/// A device that knows the id may start the transaction's journey, so these reveal nothing to others.
public enum TransactionRefusal: String, Sendable, Hashable, CaseIterable {
  /// It has expired.
  case expired = "transactionExpired"

  /// It was approved or refused before.
  case decided = "transactionDecided"
}
