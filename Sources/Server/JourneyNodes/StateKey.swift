/// PingAM's names of state variables that several nodes share.
enum StateKey {
  static let username = "username"
  static let password = "password"
  static let objectAttributes = "objectAttributes"

  /// The `_id` of the identity that the journey is about.
  static let id = "_id"
  static let oneTimePassword = "oneTimePassword"
  static let oneTimePasswordTries = "oneTimePasswordTries"
  static let oneTimePasswordTime = "oneTimePasswordTimestamp"
  static let selectedIdP = "selectedIdp"

  /// What older social nodes leave about the person.
  static let userInfo = "userInfo"
  static let emailAddress = "emailAddress"
}

/// State that nodes rely on and that others may read but not write.
enum ReservedState {
  /// Variables that state what a node has verified: neither scripts nor files write them.
  static let names: Set<String> = [
    DeviceInState.terms, DeviceInState.attestation, AppIntegrityNode.result, Evidence.numberVariable,
    TransactionJourney.requestKey,
  ]

  /// Variables that identify the journey's user: a file cannot choose one of these names.
  static let account: Set<String> = [StateKey.username, StateKey.id, StateKey.objectAttributes]

  /// Why a file may not have a node write the variable `name`; `nil` when it may.
  static func objection(to name: String) -> String? {
    if account.contains(name) { return "must not be \(name), which names the journey's account" }
    if names.contains(name) { return "must not be \(name), which another node answers for" }
    return nil
  }
}
