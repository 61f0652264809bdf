import Bytes

extension FuzzTarget {
  /// Encoded words in headers: whatever is not one stays as it is.
  static let headerWord = FuzzTarget(text: { text in
    let decoded = EncodedWords.decode(text)
    let mayHoldWords = zip(text.utf8, text.utf8.dropFirst()).contains { $0 == 0x3D && $1 == 0x3F }
    expect(mayHoldWords || decoded == text, "plain text changes")
    // ISO 8859-1 takes two bytes in UTF-8 at most.
    expect(decoded.utf8.count <= 2 * text.utf8.count, "a word grows")
    expect((QuotedPrintable.decode(text)?.count ?? 0) <= text.utf8.count, "quoted-printable grows")
  })
}
