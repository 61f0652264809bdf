/// The mobile network of a telephone.
///
/// iOS no longer reveals the network to apps: there both members are ``DeviceProfileConstants/unknown``, since the device may be a
/// telephone. On other systems the member is omitted.
// It has no stored property that changes.
public class TelephonyCollector: DeviceCollector, @unchecked Sendable {
  public typealias DataType = TelephonyInfo

  public let key = "telephony"

  public init() {}

  public func collect() async -> TelephonyInfo? {
    #if os(iOS)
      TelephonyInfo(
        networkCountryIso: DeviceProfileConstants.unknown, carrierName: DeviceProfileConstants.unknown)
    #else
      nil
    #endif
  }
}

/// The mobile network of a telephone.
public struct TelephonyInfo: Codable, Sendable {
  /// The network's country, in two letters (ISO 3166-1).
  public let networkCountryIso: String?
  /// The network's operator.
  public let carrierName: String?
}
