public import Foundation

/// Why a security key made or used no credential. The text says what to do next.
public enum SecurityKeyError: LocalizedError, Sendable, Hashable {
  /// No key is plugged in.
  case noKey
  /// Several keys are plugged in, and none was named: a PIN must not go to the wrong one.
  case severalKeys([AttachedSecurityKey])
  /// This user may not open the key's file.
  case notPermitted(path: String)
  /// It cannot do what is asked, or libfido2 is missing; the text says which.
  case unusable(String)
  /// The server wants a verified person, and the key has neither a PIN nor a finger.
  case pinNotSet
  /// The PIN was wrong.
  ///
  /// - Parameter left: How many wrong PINs the key still accepts, when it says so.
  case wrongPIN(left: Int?)
  /// Too many wrong PINs in a row: the key accepts none until it is plugged in again.
  case pinPaused
  /// Too many wrong PINs: the key does not accept a PIN any more.
  case pinBlocked
  /// No PIN was entered, or nobody can be asked.
  case noPIN
  /// The key was pulled out.
  case removed
  /// Nobody touched the key in time.
  case untouched
  /// The person refused on the key, or chose no account.
  case declined
  /// The key has a credential that the server excludes. The touch agreed to reveal that.
  case registered
  /// The key has no credential for this relying party, or none of those that the server lists.
  case noCredential(relyingPartyID: String)
  /// The key has no room for another discoverable credential.
  case full
  /// The key's answer is not valid; the text says why.
  case misbehaved(String)

  public var errorDescription: String? {
    switch self {
    case .noKey: "No security key is plugged in. Plug one in and start again."
    case .severalKeys(let keys):
      "Several security keys are plugged in: \(keys.map(\.description).joined(separator: ", ")). Unplug all but one, or name its path."
    case .notPermitted(let path):
      "The security key at \(path) is not yours to open. systemd's rules give it to the user at this machine's screen; for another user, "
        + "as over SSH, root adds a udev rule: SUBSYSTEM==\"hidraw\", ENV{ID_FIDO_TOKEN}==\"1\", GROUP=\"plugdev\", MODE=\"0660\"."
    case .unusable(let reason): reason
    case .pinNotSet:
      "The server wants a verified person, and the security key has no PIN. Set one, for example with fido2-token -S or in a browser's settings."
    case .wrongPIN(let left):
      "The security key's PIN is wrong\(left.map { "; it takes \($0) more wrong ones" } ?? ""). Start again with the right one."
    case .pinPaused:
      "The security key takes no PIN after three wrong ones in a row. Unplug it, plug it in again, and start again."
    case .pinBlocked:
      "The security key is locked by wrong PINs. Only a reset opens it, which deletes all its keys (fido2-token -R). Use another key to sign in."
    case .noPIN: "The security key's PIN is needed, and none was entered. Start again, and enter it."
    case .removed: "The security key was pulled out. Plug it in and start again."
    case .untouched: "Nobody touched the security key in time. Start again, and touch it when it blinks."
    case .declined:
      "It was refused on the security key, or no account was chosen. Start again, and touch it to agree."
    case .registered:
      "This security key is registered with the account already. Sign in with it, or use another one."
    case .noCredential(let id):
      "The security key has no key that the server takes for \(id). Use the one that is registered, or register this one."
    case .full:
      "The security key has no room for another account. Delete one, for example with fido2-token -D."
    case .misbehaved(let reason):
      "The security key's answer is not believed: \(reason). Unplug it and start again; if it happens again, do not use this key."
    }
  }

  public var failureReason: String? { errorDescription }
}
