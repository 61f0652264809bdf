internal import Bytes
internal import Cryptoki
internal import DeviceKeys

/// What identifies a token: keys and PINs go to that token only.
struct TokenIdentity: Sendable, Hashable {
  let label: String
  let manufacturer: String
  let model: String
  let serial: String

  /// The makers of tokens that are programs.
  private static let softwareMakers = ["SoftHSM project"]

  var isSoftware: Bool { Self.softwareMakers.contains(manufacturer) }

  var kind: KeyStoreKind { isSoftware ? .softwareToken : .pkcs11 }

  /// Its name in messages.
  var name: String { "the token \(label.onOneLine)" }

  func description(_ tries: PINTries?) -> KeyToken {
    KeyToken(
      label: label, manufacturer: manufacturer, model: model, serialNumber: serial, isSoftware: isSoftware,
      pinTries: tries)
  }
}

extension CryptokiToken {
  var identity: TokenIdentity {
    TokenIdentity(label: label, manufacturer: manufacturer, model: model, serial: serial)
  }

  /// The tries that are left according to the token's flags; `nil` when no PIN was wrong.
  var pinTries: PINTries? {
    if isPINLocked { return PINTries(left: 0, wrong: 1, wait: 0, isOfToken: true) }
    if isFinalTry { return PINTries(left: 1, wrong: 1, wait: 0, isOfToken: true) }
    return isPINCountLow ? PINTries(left: 2, wrong: 1, wait: 0, isOfToken: true) : nil
  }
}
