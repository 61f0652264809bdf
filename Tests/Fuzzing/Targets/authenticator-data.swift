import WebAuthnFormats

extension FuzzTarget {
  /// What was read is what the bytes say. Attestation objects, which hold such data, too.
  static let authenticatorData = FuzzTarget { bytes in
    checkData(bytes)
    guard let object = try? AttestationObject(parsing: bytes) else { return }
    expect((try? AttestationObject(parsing: object.encoded)) == object, "an attestation object changes")
    checkData(object.authenticatorData)
  }

  private static func checkData(_ bytes: [UInt8]) {
    guard let data = try? AuthenticatorData(parsing: bytes) else { return }
    expect(data.encoded == bytes, "authenticator data are written differently")
    expect((data.attestedCredential == nil) == !data.flags.contains(.attestedCredential), "the flag AT lies")
    expect((data.extensions == nil) == !data.flags.contains(.extensions), "the flag ED lies")
    guard let credential = data.attestedCredential else { return }
    expect((1...AttestedCredential.maximumIDBytes).contains(credential.id.count), "an id is too long")
    expect((try? COSEKey(decoding: credential.publicKey.encoded)) == credential.publicKey, "a key changes")
  }
}
