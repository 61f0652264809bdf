internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// A question to a user's devices, before it is signed for each of them (reference push §3.3).
struct PushLetter: Sendable {
  var id: String
  var type: PushMessageRecord.PushType
  var challenge: [UInt8]
  var text: String

  /// The numbers to choose from, in order; empty for types without.
  var numbers: [Int] = []

  /// A JSON object as text.
  var payload = "{}"

  /// What the server knows of the request, as a JSON object.
  var context: JSONObject?
  var username: String
  var sentAt: Date

  /// Seconds that the person has.
  var lifetime: Int

  /// The claims for one device. Numbers are texts, because older clients read nothing else; `l` is there for the same
  /// clients, and no cookie is needed to reach this server. A code has no type of its own on the wire: it is a challenge
  /// without numbers to choose from, so the device lets the person enter it.
  func claims(for device: PushDeviceRecord) -> JSONObject {
    var claims: JSONObject = [
      "u": .string(device.mechanismUID), "l": .string(Data("sealring=1".utf8).base64EncodedString()),
      "c": .string(Data(challenge).base64EncodedString()), "m": .string(text), "k": .string(wireType),
      "i": .string(String(Int64((sentAt.timeIntervalSince1970 * 1000).rounded()))),
      "t": .string(String(lifetime)), "d": .string(username), "p": .string(payload),
    ]
    if let context { claims["x"] = .string(String(decoding: context.serialized, as: UTF8.self)) }
    if !numbers.isEmpty { claims["n"] = .string(numbers.map(String.init).joined(separator: ",")) }
    return claims
  }

  private var wireType: String {
    switch type {
    case .default: "default"
    case .challenge, .code: "challenge"
    case .biometric: "biometric"
    }
  }
}
