internal import Foundation
internal import OATH
internal import PushFormats

extension OathCredential {
  /// The generator of the credential's codes.
  ///
  /// - Throws: ``OathError/invalidSecret(_:)``, ``OathError/invalidParameterValue(_:)``
  func password() throws(OathError) -> OneTimePassword {
    guard let digits = OATHProfile.Digits(rawValue: digits) else {
      throw .invalidParameterValue("digits is not a whole number from 4 to 8.")
    }
    let factor: OATHProfile.MovingFactor
    switch oathType {
    case .hotp: factor = .counter
    case .totp:
      guard OATHProfile.periods.contains(period) else {
        throw .invalidParameterValue("period is not a number of seconds from 1 to 3600.")
      }
      factor = .time(period: period)
    }
    let hash: OATHProfile.Hash =
      switch oathAlgorithm {
      case .sha1: .sha1
      case .sha256: .sha256
      case .sha512: .sha512
      }
    return OneTimePassword(
      secret: try secretKey.secret(), profile: OATHProfile(factor: factor, hash: hash, digits: digits))
  }

  /// The same as ``password()``, but reports an unusable credential as a failure to generate a code.
  ///
  /// - Throws: ``OathError/codeGenerationFailed(_:_:)``
  func usablePassword() throws(OathError) -> OneTimePassword {
    do throws(OathError) { return try password() } catch {
      throw .codeGenerationFailed("the credential cannot be used", error)
    }
  }

  /// Checks a credential that an app wants to save.
  ///
  /// - Parameter isNew: Whether no credential of this id is stored. A new one needs an issuer and an account name; one that came from an
  ///   address without issuer may be saved again.
  /// - Throws: ``OathError/invalidSecret(_:)``, ``OathError/invalidParameterValue(_:)``
  func validate(isNew: Bool) throws(OathError) {
    _ = try password()
    guard counter >= 0 else { throw .invalidParameterValue("counter is negative.") }
    try Self.check(id, "id", isRequired: true)
    for (text, name) in [(accountName, "accountName"), (issuer, "issuer")] {
      try Self.check(text, name, isRequired: isNew)
    }
    for (text, name) in [(displayIssuer, "displayIssuer"), (displayAccountName, "displayAccountName")] {
      try Self.check(text, name, isRequired: false)
    }
    let others = [("userId", userId), ("resourceId", resourceId), ("imageURL", imageURL)]
    for (name, text) in others where (text?.utf8.count ?? 0) > PushFormatLimits.textBytes {
      throw .invalidParameterValue("\(name) has more than \(PushFormatLimits.textBytes) bytes.")
    }
    guard (policies?.utf8.count ?? 0) <= OathUriParser.maximumPolicyBytes else {
      throw .invalidParameterValue("policies has more than \(OathUriParser.maximumPolicyBytes) bytes.")
    }
  }

  /// The longest name in characters; longer ones fit no screen.
  static let longestName = 256

  private static func check(_ text: String, _ name: String, isRequired: Bool) throws(OathError) {
    guard !isRequired || !text.allSatisfy(\.isWhitespace) else {
      throw .invalidParameterValue("\(name) is empty.")
    }
    guard text.count <= longestName, text.utf8.count <= PushFormatLimits.textBytes else {
      throw .invalidParameterValue("\(name) has more than \(longestName) characters.")
    }
    do throws(PushFormatError) { _ = try EnrolmentURI.name(text) } catch {
      throw .invalidParameterValue("\(name): \(error.reason)")
    }
  }
}
