extension Sequence<String> {
  /// The texts as one input of a key or a code, each behind its length, so that different lists never give the same bytes.
  var lengthPrefixed: [UInt8] {
    reduce(into: []) { bytes, text in
      bytes += String(text.utf8.count).utf8
      bytes.append(UInt8(ascii: ":"))
      bytes += text.utf8
    }
  }
}
