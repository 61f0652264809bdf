import Bytes

extension FuzzTarget {
  /// Base64 in all forms, Base32, hexadecimal digits and percent-encoding: the strict readers take one text for each value.
  static let codings = FuzzTarget { bytes in
    expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "Base64url loses bytes")
    expect(PaddedBase64.decode(PaddedBase64.encode(bytes)) == bytes, "Base64 loses bytes")
    expect(Hexadecimal.decode(bytes.hexadecimal) == bytes, "hexadecimal digits lose bytes")
    if bytes.count <= 640 { expect(Base32.decode(Base32.encode(bytes)) == bytes, "Base32 loses bytes") }
    let text = String(decoding: bytes, as: UTF8.self)
    expect(PercentEncoding.decode(PercentEncoding.encode(text)) == text, "percent-encoding loses text")
    if let value = Base64URL.decode(text) {
      expect(Base64URL.encode(value) == text, "two texts of Base64url")
    }
    if let value = PaddedBase64.decode(text) {
      expect(PaddedBase64.encode(value) == text, "two texts of Base64")
      expect(LenientBase64.decode(text) == value, "lenient Base64 reads another value")
    }
    if let value = LenientBase64.decode(text) {
      expect(value.count <= text.utf8.count * 3 / 4, "Base64 makes bytes up")
    }
    if let value = Base32.decode(text) {
      expect(text.utf8.count <= Base32.maximumBytes, "a long text of Base32 is read")
      expect(Base32.encode(value) == text.uppercased().prefix { $0 != "=" }, "two texts of Base32")
      expect(Base32.decodeLenient(text) == value, "lenient Base32 reads another value")
    }
    _ = Base32.decodeLenient(text)
    if let value = Hexadecimal.decode(text) {
      expect(value.hexadecimal == text.lowercased(), "two texts of hexadecimal digits")
    }
    if let value = PercentEncoding.decode(text) {
      expect(PercentEncoding.decode(PercentEncoding.encode(value)) == value, "a decoded text changes")
    }
  }
}
