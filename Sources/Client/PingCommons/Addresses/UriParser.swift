public import Foundation
internal import PushFormats

/// Shared by the readers of enrolment addresses (`otpauth`, `pushauth`, `mfauth`).
public final class UriParser: Sendable {
  /// The scheme of addresses that enrol for push and for one-time codes at once.
  public static let mfauthScheme = "mfauth"
  /// The parameter with the issuer.
  public static let issuerParam = "issuer"
  /// The parameter with the user's id, as apps write it.
  public static let userIdParam = "d"
  /// The parameter with the user's id, as servers write it.
  public static let userIdParamOath = "uid"
  /// The parameter with the address of the logo.
  public static let imageUrlParam = "image"
  /// The parameter with the colour, without `#`.
  public static let backgroundColorParam = "b"
  /// The parameter with the policies.
  public static let policiesParam = "policies"

  public init() {}

  /// Returns the issuer and the account of a decoded label, `ISSUER:ACCOUNT` or `ACCOUNT`.
  ///
  /// The label's spelling of the issuer is kept, unless it is the constant `forgerock`, which matches any parameter. A label that is
  /// empty or has several colons names no account: once the label is decoded, nobody knows which colon is the separator.
  /// - Throws: ``UriParseError/issuerMismatch(parameterIssuer:labelIssuer:)`` when label and parameter name different issuers,
  ///   ignoring case.
  public func parseLabelComponents(
    _ label: String, issuerParam: String?
  ) throws -> (issuer: String, accountName: String) {
    let parameter = issuerParam ?? ""
    let parts = label.split(separator: ":", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    switch parts.count {
    case 1: return (parameter, parts[0])
    case 2:
      guard !parts[0].isEmpty else { return (parameter, parts[1]) }
      guard !parameter.isEmpty else { return (parts[0], parts[1]) }
      guard parameter.lowercased() == parts[0].lowercased() else {
        if EnrolmentURI.isConstantIssuer(parts[0]) { return (parameter, parts[1]) }
        throw UriParseError.issuerMismatch(parameterIssuer: parameter, labelIssuer: parts[0])
      }
      return (parts[0], parts[1])
    default: return (parameter, "")
    }
  }

  /// The colour without its leading `#`.
  public func formatBackgroundColor(_ backgroundColor: String?) -> String? {
    guard let backgroundColor else { return nil }
    return backgroundColor.hasPrefix("#") ? String(backgroundColor.dropFirst()) : backgroundColor
  }
}

/// Why an enrolment address cannot be read.
public enum UriParseError: Error, LocalizedError, Sendable, Equatable {
  /// The parameter and the label name different issuers.
  case issuerMismatch(parameterIssuer: String, labelIssuer: String)

  /// The text is not an address, or a part of it is malformed; the value says which.
  case malformedURI(String)

  /// The scheme is unknown.
  case unsupportedScheme(String)

  public var errorDescription: String? {
    switch self {
    case .issuerMismatch(let parameter, let label):
      "The address names two issuers: \(parameter.debugDescription), and in its label \(label.debugDescription)."
    case .malformedURI(let reason): "The address cannot be read: \(reason)"
    case .unsupportedScheme(let scheme):
      "The scheme \(scheme.debugDescription) is not otpauth, pushauth or mfauth."
    }
  }
}

/// The schemes of enrolment addresses.
public enum UriScheme: String, CaseIterable, Sendable {
  /// One-time codes.
  case otpauth = "otpauth://"
  /// Push.
  case pushauth = "pushauth://"
  /// Both at once.
  case mfauth = "mfauth://"

  /// The scheme alone, such as `otpauth`.
  public var scheme: String { String(rawValue.dropLast(3)) }

  /// The scheme of an address, whatever its case.
  public static func from(urlString: String) -> UriScheme? {
    allCases.first { $0.matches(urlString: urlString) }
  }

  /// The scheme of an address, whatever its case.
  public static func from(url: URL) -> UriScheme? { allCases.first { $0.matches(url: url) } }

  /// Whether the address has this scheme, whatever its case.
  public func matches(urlString: String) -> Bool {
    urlString.prefix(rawValue.count).lowercased() == rawValue
  }

  /// Whether the address has this scheme, whatever its case.
  public func matches(url: URL) -> Bool { url.scheme?.lowercased() == scheme }
}
