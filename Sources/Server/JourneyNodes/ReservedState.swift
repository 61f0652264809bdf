/// State that nodes rely on and that others may read but not write.
enum ReservedState {
  /// What speaks for a node that has verified something: neither scripts nor files write it.
  static let names: Set<String> = [
    DeviceInState.terms, DeviceInState.attestation, AppIntegrityNode.result, Evidence.numberVariable,
    TransactionJourney.requestKey,
  ]

  /// What says whose journey it is: a variable whose name a file chooses is none of these.
  static let account: Set<String> = [StateKey.username, StateKey.id, StateKey.objectAttributes]

  /// Why a file may not have a node write the variable `name`; `nil` when it may.
  static func objection(to name: String) -> String? {
    if account.contains(name) { return "must not be \(name), which names the journey's account" }
    if names.contains(name) { return "must not be \(name), which another node answers for" }
    return nil
  }
}
