internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyDriving

/// One simulated device with its own account.
package struct LoadDevice: Sendable {
  package let username: String
  var bound: SimulatedKey?
  var push: SimulatedPushDevice?
  var passkey: PasskeyCredential?

  init(username: String) { self.username = username }

  func has(_ kind: EnrolmentKind) -> Bool {
    switch kind {
    case .bound: bound != nil
    case .push: push != nil
    case .passkey: passkey != nil
    }
  }
}

/// A discoverable WebAuthn credential.
struct PasskeyCredential: Sendable, Redacted {
  let id: [UInt8]
  let relyingPartyID: String
  let userHandle: [UInt8]
  let key: P256.Signing.PrivateKey
}

/// A credential that a device gets in a run.
enum Enrolment: Sendable {
  case bound(SimulatedKey)
  case push(SimulatedPushDevice)
  case passkey(PasskeyCredential)

  var kind: EnrolmentKind {
    switch self {
    case .bound: .bound
    case .push: .push
    case .passkey: .passkey
    }
  }
}

extension LoadDevice {
  mutating func take(_ enrolment: Enrolment) {
    switch enrolment {
    case .bound(let key): bound = key
    case .push(let credential): push = credential
    case .passkey(let credential): passkey = credential
    }
  }
}
