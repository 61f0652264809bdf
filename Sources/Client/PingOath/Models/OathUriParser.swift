internal import Bytes
internal import Foundation
internal import OATH
internal import PingCommons
internal import PushFormats

/// Reads and writes enrolment addresses, `otpauth://totp/ISSUER:ACCOUNT?…` (the Key URI Format) and `mfauth://…`.
///
/// Limits and percent-encoding are those of ``EnrolmentURI``. Malformed optional parameters are left out.
enum OathUriParser {
  /// The largest size of the policies, in bytes.
  static let maximumPolicyBytes = 8 << 10

  static func credential(
    of uri: String, id: String = UUID().uuidString, now: Date = Date()
  ) throws(OathError) -> OathCredential {
    let uri = uri.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !uri.isEmpty else { throw .invalidUri("It is empty.") }
    let address: EnrolmentURI
    let name: (issuer: String, account: String)
    do {
      address = try EnrolmentURI(uri, schemes: [UriScheme.otpauth.scheme, UriScheme.mfauth.scheme])
      name = try Self.name(in: address)
    } catch { throw .invalidUri(error.reason) }
    guard !name.account.isEmpty else { throw .invalidUri("It does not name an account.") }
    let longest = OathCredential.longestName
    guard name.account.count <= longest, name.issuer.count <= longest else {
      throw .invalidUri("A name in it has more than \(longest) characters.")
    }
    let codes: OATHEnrolmentParameters
    do {
      codes = try OATHEnrolmentParameters(host: address.host, secretSizes: OATHSecret.sizesOfOthers) {
        parameter(in: address, $0)
      }
    } catch { throw Self.error(error) }
    return OathCredential(
      id: id,
      userId: decoded(address, UriParser.userIdParamOath) ?? decoded(address, UriParser.userIdParam),
      resourceId: decoded(address, "oid"), issuer: name.issuer,
      accountName: name.account,
      oathType: codes.profile.factor == .counter ? .hotp : .totp,
      oathAlgorithm: algorithm(codes.profile.hash),
      digits: codes.profile.digits.rawValue, period: codes.profile.period ?? 30,
      counter: Int(clamping: codes.counter),
      createdAt: now, imageURL: image(in: address), backgroundColor: address.colorDigits,
      policies: decoded(address, UriParser.policiesParam, limit: maximumPolicyBytes),
      secretKey: codes.secret.base32)
  }

  static func address(of credential: OathCredential) throws(OathError) -> String {
    let password: OneTimePassword
    let secret: OATHSecret
    do {
      password = try credential.password()
      secret = try credential.secretKey.secret()
    } catch { throw .uriFormatting(error.localizedDescription) }
    guard let counter = UInt64(exactly: credential.counter) else {
      throw .uriFormatting("The counter is negative.")
    }
    var items = OATHEnrolmentParameters(secret: secret, profile: password.profile, counter: counter).items
    func add(_ name: String, _ value: String?) {
      if let value, !value.isEmpty { items.append((name, value)) }
    }
    func addEncoded(_ name: String, _ text: String?) { add(name, text.map { Base64.encodeBase64($0) }) }
    add(UriParser.issuerParam, PercentEncoding.encode(credential.issuer))
    addEncoded(UriParser.userIdParamOath, credential.userId)
    addEncoded("oid", credential.resourceId)
    add(UriParser.imageUrlParam, credential.imageURL.map { PercentEncoding.encode($0) })
    add(UriParser.backgroundColorParam, UriParser().formatBackgroundColor(credential.backgroundColor))
    addEncoded(UriParser.policiesParam, credential.policies)
    // Without an issuer, a colon in the account's name must not be taken for the one that separates the two.
    let hasIssuer = !credential.issuer.isEmpty || credential.accountName.contains(":")
    let issuer = hasIssuer ? PercentEncoding.encode(credential.issuer) + ":" : ""
    return
      "\(UriScheme.otpauth.rawValue)\(credential.type)/\(issuer)\(PercentEncoding.encode(credential.accountName))?"
      + items.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// The parameter's value; the secret in the strict form of Base32.
  private static func parameter(in address: EnrolmentURI, _ name: String) -> String? {
    guard name == "secret", let text = address.value(name) else { return address.value(name) }
    return OathSecretKey.bytes(of: text).map { Base32.encode($0) } ?? text
  }

  private static func name(in address: EnrolmentURI) throws(PushFormatError) -> (
    issuer: String, account: String
  ) {
    let label = try address.label()
    let account = label.account.trimmingCharacters(in: .whitespaces)
    // `otpauth` has a plain issuer, and an encoded colon may separate it in the label.
    let name =
      address.scheme == UriScheme.otpauth.scheme
      ? try plainName(in: address, issuer: label.issuer, account: account)
      : (issuer: try address.issuer(label: label.issuer), account: account)
    // A label of the constant issuer alone names no account, so the issuer's name stands for both.
    guard name.issuer.isEmpty, EnrolmentURI.isConstantIssuer(name.account) else { return name }
    return (name.account, name.account)
  }

  private static func plainName(
    in address: EnrolmentURI, issuer: String, account: String
  ) throws(PushFormatError) -> (issuer: String, account: String) {
    var (issuer, account) = (issuer, account)
    let given = try address.value(UriParser.issuerParam).map(EnrolmentURI.name)
    if !address.labelNamesIssuer, let colon = account.firstIndex(of: ":") {
      let first = String(account[..<colon])
      if given == nil || given?.lowercased() == first.lowercased() || EnrolmentURI.isConstantIssuer(first) {
        (issuer, account) = (first, account[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
      }
    }
    guard let given else { return (issuer, account) }
    guard issuer.isEmpty || issuer.lowercased() == given.lowercased() || EnrolmentURI.isConstantIssuer(issuer)
    else {
      throw PushFormatError(.issuerMismatch, "The label and the parameter issuer name different issuers.")
    }
    return (given, account)
  }

  /// The text of a Base64 parameter.
  private static func decoded(
    _ address: EnrolmentURI, _ name: String, limit: Int = PushFormatLimits.textBytes
  ) -> String? {
    guard let value = address.value(name), let text = LenientBase64.decodeText(value), !text.isEmpty,
      text.utf8.count <= limit
    else { return nil }
    return text
  }

  /// The address of the logo, which is plain, or in Base64 as in `pushauth`.
  private static func image(in address: EnrolmentURI) -> String? {
    guard let value = address.value(UriParser.imageUrlParam) else { return nil }
    if value.contains("://") { return value }
    return decoded(address, UriParser.imageUrlParam).flatMap { $0.contains("://") ? $0 : nil }
  }

  private static func algorithm(_ hash: OATHProfile.Hash) -> OathAlgorithm {
    switch hash {
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }

  private static func error(_ fault: OATHEnrolmentParameters.Fault) -> OathError {
    switch fault.parameter {
    case "secret": fault.isMissing ? .missingRequiredParameter("secret") : .invalidSecret(fault.description)
    case "algorithm": .invalidAlgorithm(fault.description)
    case "host": .invalidUri(fault.description)
    default: .invalidParameterValue(fault.description)
    }
  }
}
