import QRCodes

extension FuzzTarget {
  /// A text is refused for its length, or has a square that can be drawn.
  static let qrText = FuzzTarget(text: { text in
    // Long codes take a hundred times as long: those near the limit only.
    guard text.utf8.count <= 200 || text.utf8.count >= 2950 else { return }
    guard let code = try? QRCode(text) else {
      return expect(text.isEmpty || text.utf8.count > 2953 || text.contains("\0"), "a text has no QR code")
    }
    expect((21...177).contains(code.size) && code.size % 4 == 1, "a code has another size")
    expect(text.utf8.count <= 2953 && !code.svg().isEmpty, "a long text has a QR code")
  })
}
