internal import Bytes

extension PushEnrolmentURI {
  /// Reads an enrolment URI.
  ///
  /// Both Base64 alphabets are accepted everywhere, with or without padding. An optional parameter that cannot be read
  /// is left out and named in ``ignoredParameters``; an empty one counts as absent. Unknown parameters are ignored.
  /// - Throws: ``PushFormatError``: another scheme, a required parameter that is absent (`r`, `a`, `s`) or cannot be
  ///   read, a parameter that appears twice, different issuers in label and parameter, more than
  ///   ``PushFormatLimits/uriBytes``.
  public init(parsing uri: String) throws(PushFormatError) {
    let parts = try EnrolmentURI(uri, schemes: ["pushauth", "mfauth"])
    let (issuer, account) = try parts.label()
    registrationURL = try Self.address("r", parts)
    authenticationURL = try Self.address("a", parts)
    secret = try PushSecret(base64: parts.required("s"))
    challenge = try parts.value("c").map { text throws(PushFormatError) in
      try PushChallenge(base64: text)
    }
    accountName = account
    self.issuer = try parts.issuer(label: issuer)
    messageID = parts.value("m")
    var ignored: [String] = []
    func decoded(
      _ name: String, limit: Int = PushFormatLimits.textBytes, _ isValid: (String) -> Bool = { _ in true }
    ) -> String? {
      guard let value = parts.value(name) else { return nil }
      guard let text = LenientBase64.decodeText(value), text.utf8.count <= limit, isValid(text) else {
        ignored.append(name)
        return nil
      }
      return text.isEmpty ? nil : text
    }
    loadBalancer = decoded("l") { text in text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
    userID = decoded("uid") ?? decoded("d")
    resourceID = decoded("pid")
    policies = decoded("policies", limit: 8 << 10)
    if let image = parts.value("image"), image.contains("://") {
      imageURL = image
    } else {
      imageURL = decoded("image") { $0.contains("://") }
    }
    backgroundColor = parts.color
    if backgroundColor == nil, parts.value("b") != nil { ignored.append("b") }
    ignoredParameters = ignored
  }

  private static func address(
    _ name: String, _ parts: EnrolmentURI
  ) throws(PushFormatError) -> PushServerURL {
    guard let text = LenientBase64.decodeText(try parts.required(name)) else {
      throw PushFormatError(.malformed, "\(name) is not Base64 of a text.")
    }
    return try PushServerURL(text)
  }
}
