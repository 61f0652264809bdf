internal import Bytes

/// An enrolment URI (`otpauth`, `pushauth`, `mfauth`) in pieces, each parameter decoded once.
package struct EnrolmentURI {
  /// The scheme, in lower case.
  package let scheme: String
  /// The host, in lower case.
  package let host: String
  private let path: Substring
  private var parameters: [String: String] = [:]

  /// - Parameter schemes: The accepted schemes, in lower case.
  /// - Throws: ``PushFormatError`` for more than ``PushFormatLimits/uriBytes``, another scheme, a broken percent-encoding,
  ///   and a parameter that appears twice.
  package init(_ uri: String, schemes: [String]) throws(PushFormatError) {
    guard uri.utf8.count <= PushFormatLimits.uriBytes else {
      throw PushFormatError(
        .tooLarge, "The URI has \(uri.utf8.count) bytes, more than \(PushFormatLimits.uriBytes).")
    }
    guard let separator = uri.firstRange(of: "://") else {
      throw PushFormatError(.malformed, "This is not a URI.")
    }
    scheme = uri[..<separator.lowerBound].lowercased()
    guard schemes.contains(scheme) else {
      throw PushFormatError(
        .malformed,
        "The scheme \(scheme.prefix(32).debugDescription) is neither \(schemes.joined(separator: " nor ")).")
    }
    // A fragment is ignored.
    let rest = uri[separator.upperBound...].prefix { $0 != "#" }
    let location = rest.prefix { $0 != "?" }
    host = location.prefix { $0 != "/" }.lowercased()
    path = location.drop { $0 != "/" }.dropFirst()
    for item in rest.dropFirst(location.count + 1).split(separator: "&") {
      let encodedName = item.prefix { $0 != "=" }
      guard let name = PercentEncoding.decode(encodedName),
        let value = PercentEncoding.decode(item.dropFirst(encodedName.count + 1))
      else { throw PushFormatError(.malformed, "The query has a broken percent-encoding.") }
      guard parameters.updateValue(value, forKey: name) == nil else {
        throw PushFormatError(.malformed, "The parameter \(name.prefix(32).debugDescription) appears twice.")
      }
    }
  }

  package func value(_ name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }

  package func required(_ name: String) throws(PushFormatError) -> String {
    guard let value = value(name) else {
      throw PushFormatError(.missing, "\(name): missing required parameter.")
    }
    return value
  }

  /// `b` with a leading `#`; `nil` when it is absent or not a colour.
  package var color: String? { colorDigits.map { "#" + $0 } }

  /// `b` without its `#`; `nil` when it is absent or not a colour.
  package var colorDigits: String? {
    guard let digits = value("b")?.drop(while: { $0 == "#" }), [3, 4, 6, 8].contains(digits.count),
      digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    return String(digits)
  }

  /// Whether the label has a colon that is not percent-encoded. Everything before it is the issuer, even when that is empty.
  package var labelNamesIssuer: Bool { path.contains(":") }

  /// Issuer and account: the encoded path, split at its first colon, then decoded.
  ///
  /// - Throws: ``PushFormatError`` for a broken percent-encoding, and as ``name(_:)``.
  package func label() throws(PushFormatError) -> (issuer: String, account: String) {
    let first = path.prefix { $0 != ":" }
    let hasIssuer = first.endIndex < path.endIndex
    guard let issuer = PercentEncoding.decode(hasIssuer ? first : ""),
      let account = PercentEncoding.decode(hasIssuer ? path[first.endIndex...].dropFirst() : first)
    else { throw PushFormatError(.malformed, "The label has a broken percent-encoding.") }
    return (try Self.name(issuer), try Self.name(account))
  }

  /// A name from a label, for people to read.
  ///
  /// - Throws: ``PushFormatError`` for a name with characters that control how it is shown or change the direction of writing, and for
  ///   one with markup or steps of a path, because apps may put it into a page or a file's name.
  package static func name(_ text: String) throws(PushFormatError) -> String {
    guard text.unicodeScalars.allSatisfy(isReadable), !text.contains(where: { "<>".contains($0) }),
      !text.contains("../"), !text.contains("..\\")
    else {
      throw PushFormatError(
        .malformed, "A name has markup, steps of a path, or a character that controls how it is shown.")
    }
    return text
  }

  /// Joiners are invisible but belong to names in some scripts.
  private static func isReadable(_ scalar: Unicode.Scalar) -> Bool {
    isPrintable(scalar) || scalar.properties.isJoinControl
  }

  /// Whether the label's `issuer` is the constant `forgerock`, which servers write whatever their issuer is called.
  ///
  /// The parameter then decides, and is the name to show. Any other label has to agree with the parameter.
  package static func isConstantIssuer(_ issuer: String) -> Bool { issuer.lowercased() == "forgerock" }

  /// The issuer in the parameter `issuer`, which servers write in Base64 and apps as it is; without it, the issuer in the label.
  ///
  /// A plain issuer such as `Acme` is valid Base64 of something else, so it is taken as Base64 only where the result
  /// makes sense.
  package func issuer(label: String) throws(PushFormatError) -> String {
    guard let given = try value("issuer").map(Self.name) else { return label }
    let decoded = LenientBase64.decodeText(given)
    if !label.isEmpty {
      if let decoded, decoded.lowercased() == label.lowercased() { return decoded }
      if given.lowercased() == label.lowercased() { return given }
      guard Self.isConstantIssuer(label) else {
        throw PushFormatError(.issuerMismatch, "The label and the parameter issuer name different issuers.")
      }
    }
    guard let decoded, !decoded.isEmpty, decoded.unicodeScalars.allSatisfy(Self.isPrintable)
    else { return given }
    return try Self.name(decoded)
  }

  /// An emoji may be followed by a variation selector. No other invisible character is part of a name.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isFitForName || scalar.properties.isVariationSelector
  }
}
