/// Tells one device from another. Servers treat the identifier as opaque text.
public protocol DeviceIdentifier: Sendable {
  /// The identifier, the same each time for as long as the app's data live.
  ///
  /// - Throws: When the stored identifier cannot be read or the first one cannot be stored. A new one is never made up
  ///   then, because to servers it would be another device.
  var id: String { get async throws }
}
