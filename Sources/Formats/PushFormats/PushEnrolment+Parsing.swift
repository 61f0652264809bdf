extension PushEnrolment {
  /// Reads an enrolment URI.
  ///
  /// Both Base64 alphabets are accepted everywhere, with or without padding. An optional parameter that cannot be read
  /// is left out and named in ``ignoredParameters``; an empty one counts as absent. Unknown parameters are ignored.
  /// - Throws: ``PushFormatError``: another scheme, a required parameter that is absent (`r`, `a`, `s`) or cannot be
  ///   read, a parameter that stands there twice, different issuers in label and parameter, more than
  ///   ``PushFormatLimits/uriBytes``.
  public init(parsing uri: String) throws(PushFormatError) {
    let parts = try Parts(uri)
    let (issuer, account) = try parts.label()
    registrationURL = try parts.address("r")
    authenticationURL = try parts.address("a")
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
      guard let text = PushBase64.decodeText(value), text.utf8.count <= limit, isValid(text) else {
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
    if let color = parts.value("b") {
      let digits = color.drop { $0 == "#" }
      if [3, 4, 6, 8].contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
        backgroundColor = "#" + digits
      } else {
        ignored.append("b")
      }
    }
    ignoredParameters = ignored
  }
}

/// A URI in pieces, each parameter decoded once.
private struct Parts {
  private let path: Substring
  private var parameters: [String: String] = [:]

  init(_ uri: String) throws(PushFormatError) {
    guard uri.utf8.count <= PushFormatLimits.uriBytes else {
      throw PushFormatError(
        .tooLarge, "The URI has \(uri.utf8.count) bytes, more than \(PushFormatLimits.uriBytes).")
    }
    guard let separator = uri.firstRange(of: "://") else {
      throw PushFormatError(.malformed, "This is no URI.")
    }
    let scheme = uri[..<separator.lowerBound].lowercased()
    guard scheme == "pushauth" || scheme == "mfauth" else {
      throw PushFormatError(
        .malformed,
        "The scheme \(scheme.prefix(32).debugDescription) is neither pushauth nor mfauth.")
    }
    // A fragment is no part of it.
    let rest = uri[separator.upperBound...].prefix { $0 != "#" }
    let location = rest.prefix { $0 != "?" }
    path = location.drop { $0 != "/" }.dropFirst()
    for item in rest.dropFirst(location.count + 1).split(separator: "&") {
      let encodedName = item.prefix { $0 != "=" }
      guard let name = PercentCoding.decode(encodedName),
        let value = PercentCoding.decode(item.dropFirst(encodedName.count + 1))
      else {
        throw PushFormatError(.malformed, "The query has a broken percent-encoding.")
      }
      guard parameters.updateValue(value, forKey: name) == nil else {
        throw PushFormatError(
          .malformed, "The parameter \(name.prefix(32).debugDescription) stands there twice.")
      }
    }
  }

  func value(_ name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }

  func required(_ name: String) throws(PushFormatError) -> String {
    guard let value = value(name) else {
      throw PushFormatError(.missing, "\(name): missing required parameter.")
    }
    return value
  }

  func address(_ name: String) throws(PushFormatError) -> PushServerURL {
    guard let text = PushBase64.decodeText(try required(name)) else {
      throw PushFormatError(.malformed, "\(name) is no Base64 of a text.")
    }
    return try PushServerURL(text)
  }

  /// Issuer and account: the encoded path, split at its first colon, then decoded.
  func label() throws(PushFormatError) -> (issuer: String, account: String) {
    let first = path.prefix { $0 != ":" }
    let hasIssuer = first.endIndex < path.endIndex
    guard let issuer = PercentCoding.decode(hasIssuer ? first : ""),
      let account = PercentCoding.decode(hasIssuer ? path[first.endIndex...].dropFirst() : first)
    else { throw PushFormatError(.malformed, "The label has a broken percent-encoding.") }
    return (issuer, account)
  }

  /// The parameter `issuer`, which servers write in Base64 and apps as it is; else the label's.
  ///
  /// A plain issuer such as `Acme` is valid Base64 of something else, so it is taken as Base64 only where the result
  /// makes sense.
  func issuer(label: String) throws(PushFormatError) -> String {
    guard let given = value("issuer") else { return label }
    let decoded = PushBase64.decodeText(given)
    if label.isEmpty {
      guard let decoded, !decoded.isEmpty, decoded.unicodeScalars.allSatisfy(Self.isPrintable)
      else { return given }
      return decoded
    }
    if let decoded, decoded.lowercased() == label.lowercased() { return decoded }
    guard given.lowercased() == label.lowercased() else {
      throw PushFormatError(
        .issuerMismatch, "The label and the parameter issuer name different issuers.")
    }
    return given
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
      .surrogate:
      false
    default: true
    }
  }
}
