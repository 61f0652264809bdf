import BindingFormats
import Bytes
import Foundation
import JourneyEngine
import JourneyNodes
import JourneyStore
import PushFormats
import PushService
import StrictJSON
import Testing

extension World {
  static let secret = [UInt8](repeating: 7, count: 32)

  /// Gives the user a push device.
  @discardableResult
  func pushDevice(
    _ id: String = "m1", of username: String = "mira", type: String = "poll"
  ) async throws -> PushDeviceRecord {
    let message = PushMessageRecord(
      id: "REGISTER:\(id)", realm: "alpha", username: username, kind: .registration,
      challenge: StoredSecret(Self.secret),
      enrolment: .init(
        uuid: "u-\(id)", issuer: "Bank", sharedSecret: StoredSecret(Self.secret), deviceLimit: 0),
      sentAt: now, expiresAt: now + 60)
    try await store.openPushEnrolment(message)
    let device = PushDeviceRecord(
      uuid: "u-\(id)", realm: "alpha", username: username, deviceName: "Phone", mechanismUID: id,
      issuer: "Bank", sharedSecret: StoredSecret(Self.secret), communicationType: type,
      communicationID: "token", deviceType: "linux", deviceToken: "token", createdDate: now,
      lastAccessDate: now)
    #expect(try await store.completePushEnrolment(id: message.id, device: device, now: now) == .added)
    return device
  }

  func sender(_ properties: JSONObject = [:], user: String? = "mira") throws -> Visit {
    try visit("PushAuthenticationSenderNode", properties, state: JourneyState(username: user))
  }

  /// What a device with the id gets.
  func messages(_ id: String = "m1") async throws -> [PushMessage] {
    try await store.pushInbox(mechanismUID: id, realm: "alpha", now: now).map {
      try UnverifiedPushMessage($0.message).verified(with: PushSecret(Self.secret))
    }
  }
}
