import Bytes

extension FuzzTarget {
  /// `Authorization: Basic`: the id ends at the first colon, and all the rest is the secret.
  static let basicCredentials = FuzzTarget(text: { text in
    if let credentials = BasicCredentials(authorization: text) {
      expect(text.utf8.count <= BasicCredentials.longestHeader, "a long header is read")
      expect(!credentials.id.unicodeScalars.contains(":"), "an id holds a colon")
    }
    let scalars = text.unicodeScalars
    guard let colon = scalars.firstIndex(of: ":") else { return }
    let header = "Basic \(PaddedBase64.encode(text.utf8))"
    guard header.utf8.count <= BasicCredentials.longestHeader else { return }
    let read = BasicCredentials(authorization: header)
    expect(read?.id.utf8.elementsEqual(text[..<colon].utf8) == true, "an id changes")
    let secret = text[scalars.index(after: colon)...]
    expect(read?.secret.reveal().utf8.elementsEqual(secret.utf8) == true, "a secret changes")
  })
}
