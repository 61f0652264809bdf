/// Names of the state variables by which recovery codes reach the node that displays them. In transient state.
enum RecoveryCodeState {
  /// The codes to show.
  static let codes = "recoveryCodes"

  /// The device that they stand in for.
  static let deviceName = "recoveryCodeDeviceName"
}
