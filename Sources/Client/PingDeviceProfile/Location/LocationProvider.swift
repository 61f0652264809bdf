/// Finds out where the device is, such as `GeoClueLocationProvider` on Linux.
public protocol LocationProvider: Sendable {
  /// Where the device is now. Only called when the person has agreed.
  ///
  /// - Throws: ``LocationError``, or `CancellationError`.
  func location() async throws -> LocationInfo
}

/// Asks the person whether a server may know where the device is.
public protocol LocationConsent: Sendable {
  /// Whether the location may be sent, this once.
  ///
  /// Called before the location is looked up, every time. When the task is cancelled, take the question away and return
  /// `false`.
  /// - Parameter message: What the server has the person told; may be empty. Show it as the server's words.
  func allowsLocation(message: String) async -> Bool
}
