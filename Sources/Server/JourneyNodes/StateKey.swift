/// Names of state variables that nodes of different files agree on; PingAM's.
enum StateKey {
  static let username = "username"
  static let password = "password"
  static let objectAttributes = "objectAttributes"

  /// The `_id` of the identity that the journey is about.
  static let id = "_id"
  static let successURL = "successUrl"
  static let failureURL = "failureUrl"
  static let oneTimePassword = "oneTimePassword"
  static let oneTimePasswordTries = "oneTimePasswordTries"
  static let oneTimePasswordTime = "oneTimePasswordTimestamp"
  static let selectedIdP = "selectedIdp"

  /// What older social nodes say of the person.
  static let userInfo = "userInfo"
  static let emailAddress = "emailAddress"
}
