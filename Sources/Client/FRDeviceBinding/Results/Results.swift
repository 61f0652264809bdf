/// How a bind ended.
public enum DeviceBindingResult: Sendable {
  /// The callback's inputs have the proof; send it with the node's `next`.
  case success
  /// The callback's inputs tell the server what failed.
  case failure(DeviceBindingStatus)
}

/// How a sign ended.
public enum DeviceSigningResult: Sendable {
  /// The callback's inputs have the proof; send it with the node's `next`.
  case success
  /// The callback's inputs tell the server what failed.
  case failure(DeviceBindingStatus)
}

/// Receives how a bind ended: once, on no particular thread.
public typealias DeviceBindingResultCallback = @Sendable (_ result: DeviceBindingResult) -> Void

/// Receives how a sign ended: once, on no particular thread.
public typealias DeviceSigningResultCallback = @Sendable (_ result: DeviceSigningResult) -> Void
