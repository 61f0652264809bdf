import Foundation
import JourneyStore

extension FuzzTarget {
  /// Only a token that was made here names a device, and what is written for the next request stays bounded.
  static let knownDevicesCookie = FuzzTarget(
    seeds: { [Array(knownCookie.utf8), Array("a=b; \(knownCookie)~x.1.y; c".utf8)] },
    text: { text in
      if let device = devices.device(of: user, cookies: text, now: moment) {
        expect(device == knownDevice, "a device is known that was never seen")
      }
      let value = devices.value(for: user, cookies: text, now: moment) { [UInt8](repeating: 3, count: $0) }
      expect(value.utf8.count <= 700, "the cookie grows to \(value.utf8.count) bytes")
      expect(
        devices.device(of: user, cookies: "\(devices.cookieName)=\(value)", now: moment) != nil,
        "the cookie that was set is not known again")
    })

  private static let devices = KnownDevices(secret: FixedKeys.secret)
  private static let moment = Date(timeIntervalSince1970: 1_800_000_000)
  private static let user = UserRecord(
    realm: "alpha", username: "ada", createdAt: Date(timeIntervalSince1970: 1_700_000_000), id: "u1")
  private static let knownCookie =
    devices.cookieName + "="
    + devices.value(for: user, cookies: nil, now: moment) { [UInt8](repeating: 3, count: $0) }
  private static let knownDevice = devices.device(of: user, cookies: knownCookie, now: moment)
}
