import JOSE

extension FuzzTarget {
  /// A signature has one encoding in each of the two forms.
  static let ecdsaSignature = FuzzTarget(
    seeds: { [(try? ECDSASignatureFormat.der(fromRaw: [UInt8](repeating: 0x81, count: 64))) ?? []] },
    check: { bytes in
      for curve in ECDSASignatureFormat.Curve.allCases {
        if let raw = try? ECDSASignatureFormat.raw(fromDER: bytes, curve: curve) {
          expect(raw.count == 2 * curve.fieldBytes, "a raw signature has another length")
          expect(
            (try? ECDSASignatureFormat.der(fromRaw: raw, curve: curve)) == bytes, "two encodings are read")
        }
        if let der = try? ECDSASignatureFormat.der(fromRaw: bytes, curve: curve) {
          expect((try? ECDSASignatureFormat.raw(fromDER: der, curve: curve)) == bytes, "a signature changes")
        }
      }
    })
}
