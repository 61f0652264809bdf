public import Foundation

/// Everything that a server keeps.
public protocol ServerStore: UserStore, BoundDeviceStore, PushStore, OathStore, RecoveryCodeStore,
  WebAuthnStore,
  FactorStore, SessionStore, OnceStore, LockoutStore, ServerSecretStore, EvidenceStore, ApplicationStore,
  TransactionStore, RealmStore, StepStore, SuspendedJourneyStore, IdentityStore
{
  /// Removes what has expired at `now`: sessions, consumed keys, suspended journeys, push messages, failures of names without an account
  /// and of single known devices when the last try was a day or longer ago, and transactions that expired 30 days or longer ago. Called now and then
  /// by the server.
  func removeExpired(now: Date) async throws

  /// Waits for queued writes and closes.
  func close() async throws
}
