internal import Bytes
internal import Crypto
internal import Foundation
internal import PushFormats

/// One simulated device, with an account of its own.
package struct LoadDevice: Sendable {
  package let username: String
  var bound: BoundKey?
  var push: PushCredential?
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

/// A key that a server has bound to the account. It is in software and not protected: it is worth nothing outside a test.
struct BoundKey: Sendable, Redacted {
  let id: String
  /// The account as the server names it; the claim `sub`.
  let userID: String
  let key: P256.Signing.PrivateKey
}

struct PushCredential: Sendable, Redacted {
  let mechanismUID: String
  let secret: PushSecret
}

/// A discoverable WebAuthn credential.
struct PasskeyCredential: Sendable, Redacted {
  let id: [UInt8]
  let relyingPartyID: String
  let userHandle: [UInt8]
  let key: P256.Signing.PrivateKey
}

/// What a device has been given in a run.
enum Enrolment: Sendable {
  case bound(BoundKey)
  case push(PushCredential)
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
