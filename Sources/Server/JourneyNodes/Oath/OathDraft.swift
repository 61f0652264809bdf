internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// An authenticator between its QR code and its first code, kept in the journey's sealed state and in no database.
///
/// It belongs to one account by the account's id, so that no other user of the journey, and no later account of the same name, gets it.
struct OathDraft: Sendable, Hashable {
  /// In secure state, under the name that PingAM has for it.
  static let stateKey = "oathDeviceProfile"

  var device: OathDeviceRecord

  /// Whether recovery codes are made when it is stored.
  let makesRecoveryCodes: Bool

  /// How many codes were wrong so far.
  var wrongCodes = 0

  /// Whether a right code was entered; it is not stored without one.
  private(set) var isProven = false

  private let accountID: String

  init(_ device: OathDeviceRecord, of user: UserRecord, makesRecoveryCodes: Bool) {
    self.device = device
    self.makesRecoveryCodes = makesRecoveryCodes
    accountID = user.id
  }

  /// The draft of `user`; `nil` when there is none, or it is another account's.
  init?(in state: JourneyState, of user: UserRecord) {
    guard let form = state.secure[Self.stateKey], form["account"]?.stringValue == user.id,
      let deviceForm = form["device"],
      let device = OathDeviceRecord(sealedForm: deviceForm, realm: user.realm, username: user.username),
      let makesRecoveryCodes = form["recoveryCodes"]?.boolValue,
      let wrongCodes = form["wrongCodes"]?.integerValue.flatMap({ Int(exactly: $0) })
    else { return nil }
    self.init(device, of: user, makesRecoveryCodes: makesRecoveryCodes)
    self.wrongCodes = wrongCodes
    guard let next = form["next"]?.stringValue.flatMap({ UInt64($0) }),
      let drift = form["drift"]?.integerValue.flatMap({ Int(exactly: $0) })
    else { return }
    self.device.nextFactor = next
    self.device.drift = drift
    isProven = true
  }

  /// Uses up the code of `factor` and all earlier ones, so that it cannot be used to sign in later. `false` when it was used before.
  mutating func accept(factor: UInt64, drift: Int) -> Bool {
    guard factor >= device.nextFactor, factor < UInt64(Int64.max) else { return false }
    device.nextFactor = factor + 1
    device.drift = drift
    isProven = true
    return true
  }

  func keep(in state: inout JourneyState) {
    var form: JSONObject = [
      "account": .string(accountID), "device": .object(device.sealedForm),
      "recoveryCodes": .bool(makesRecoveryCodes), "wrongCodes": .integer(Int64(wrongCodes)),
    ]
    if isProven {
      form["next"] = .string(String(device.nextFactor))
      form["drift"] = .integer(Int64(device.drift))
    }
    state.secure[Self.stateKey] = .object(form)
  }

  static func forget(in state: inout JourneyState) { state.secure[stateKey] = nil }
}
