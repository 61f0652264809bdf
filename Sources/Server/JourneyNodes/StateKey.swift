/// Names of state variables that nodes of different files agree on.
enum StateKey {
  static let username = "username"
  static let password = "password"
  static let objectAttributes = "objectAttributes"
  static let selectedIdP = "selectedIdp"
}
