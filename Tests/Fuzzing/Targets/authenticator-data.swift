import WebAuthnFormats

/// Whatever the bytes are: they are refused, or what was read is what they say. Attestation objects, which hold such data, too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  check(bytes)
  guard let object = try? AttestationObject(parsing: bytes) else { return 0 }
  precondition((try? AttestationObject(parsing: object.encoded)) == object)
  check(object.authenticatorData)
  return 0
}

private func check(_ bytes: [UInt8]) {
  guard let data = try? AuthenticatorData(parsing: bytes) else { return }
  precondition(data.encoded == bytes)
  precondition((data.attestedCredential == nil) == !data.flags.contains(.attestedCredential))
  precondition((data.extensions == nil) == !data.flags.contains(.extensions))
  precondition(
    data.attestedCredential.map { (1...AttestedCredential.maximumIDBytes).contains($0.id.count) } ?? true)
}
