import CBOR

extension FuzzTarget {
  /// What was read is the same after writing and reading it again, in canonical form.
  static let cbor = FuzzTarget { bytes in
    guard let value = try? CBORValue(decoding: bytes) else { return }
    let written = value.encoded
    expect((try? CBORValue(decoding: written)) == value, "written CBOR is read as another value")
    expect((try? CBORValue(decoding: written))?.encoded == written, "canonical CBOR changes again")
  }
}
