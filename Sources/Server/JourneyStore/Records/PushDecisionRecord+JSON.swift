internal import Bytes
package import StrictJSON

extension PushDecisionRecord {
  /// All members, with times in milliseconds since 1970.
  package var json: JSONObject {
    [
      "number": .integer(number), "realm": .string(realm), "username": .string(username),
      "accountId": accountID.map { .string($0) } ?? .null,
      "messageId": .string(messageID), "type": .string(type.rawValue), "decision": .string(state.rawValue),
      "device": .string(device), "deviceName": .string(deviceName),
      "reason": reason.map { .string($0) } ?? .null, "sent": .integer(sentAt.millisecondsSince1970),
      "decided": .integer(decidedAt.millisecondsSince1970),
    ]
  }
}
