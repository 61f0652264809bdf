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

  private struct Form: Codable {
    let account: String
    let device: OathDeviceRecord.SealedForm
    let recoveryCodes: Bool
    let wrongCodes: Int
    /// As text, because numbers of JSON are not read that far.
    let next: String?
    let drift: Int?
  }

  init(_ device: OathDeviceRecord, of user: UserRecord, makesRecoveryCodes: Bool) {
    self.device = device
    self.makesRecoveryCodes = makesRecoveryCodes
    accountID = user.id
  }

  /// The draft of `user`; `nil` when there is none, or it is another account's.
  init?(in state: JourneyState, of user: UserRecord) {
    guard let stored = state.secure[Self.stateKey], let form: Form = StoredJSON.value(from: stored),
      form.account == user.id
    else { return nil }
    self.init(
      OathDeviceRecord(form.device, realm: user.realm, username: user.username), of: user,
      makesRecoveryCodes: form.recoveryCodes)
    wrongCodes = form.wrongCodes
    guard let next = form.next.flatMap({ UInt64($0) }), let drift = form.drift else { return }
    device.nextFactor = next
    device.drift = drift
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
    // Without a draft the enrolment begins anew.
    state.secure[Self.stateKey] = try? StoredJSON.json(
      of: Form(
        account: accountID, device: device.sealedForm, recoveryCodes: makesRecoveryCodes,
        wrongCodes: wrongCodes, next: isProven ? String(device.nextFactor) : nil,
        drift: isProven ? device.drift : nil))
  }

  static func forget(in state: inout JourneyState) { state.secure[stateKey] = nil }
}
