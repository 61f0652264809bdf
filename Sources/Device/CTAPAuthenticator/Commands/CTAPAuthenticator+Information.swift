internal import CBOR
internal import CTAP
internal import DeviceKeys
internal import WebAuthnAuthenticator
internal import WebAuthnFormats

extension CTAPAuthenticator {
  /// The versions, options and limits of the authenticator (CTAP 2.1 §6.4).
  func information() async throws -> CBORMap {
    let hasPIN = try await pin.isSet
    let kept = try await kept().count
    return [
      1: ["FIDO_2_0", "FIDO_2_1"], 2: ["credProtect", "hmac-secret"], 3: .bytes(AAGUID.zero.bytes),
      4: [
        "rk": true, "up": true, "uv": .bool(try await canVerifyHere()), "plat": false,
        "clientPin": .bool(hasPIN),
        "pinUvAuthToken": true, "credMgmt": true, "credentialMgmtPreview": true, "makeCredUvNotRqd": true,
      ],
      5: CBORValue(CTAPRequest.maximumBytes), 6: [2, 1], 7: CBORValue(CTAPRequest.maximumCredentials),
      8: CBORValue(Self.idBytes), 9: ["usb"], 0x0A: [["alg": -7, "type": "public-key"]],
      0x0D: CBORValue(Self.pinPolicy.minimumLength), 0x14: CBORValue(max(0, Self.capacity - kept)),
    ]
  }

  /// The length of a credential id in bytes.
  private static let idBytes = 16

  /// Deletes everything (§6.6). Accepted only just after the start, so that a program cannot ask for it at any time.
  func reset() async throws {
    guard elapsed() < Self.resetTime else {
      log("Refused to delete all passkeys: this is accepted only in the first 10 seconds after the start.")
      throw CTAPStatus.notAllowed
    }
    try await agree(SecurityKeyQuestion(.reset))
    for source in try await all() where source.roaming != nil { try await authenticator.delete(source) }
    try await pin.remove()
    try forgetFingers()
    (token, wrongInARow, unknownInARow) = (nil, 0, 0)
    let unreadable = try await authenticator.removeUnreadable()
    if unreadable > 0 { log("Deleted \(unreadable) passkeys that could not be read.") }
    log("Deleted all passkeys and the PIN.")
  }
}
