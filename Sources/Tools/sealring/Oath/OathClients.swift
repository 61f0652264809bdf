import Foundation
import PingOath
import StrictJSON

/// The client of one-time codes that keeps its state in the client's folder.
enum OathClients {
  /// Runs `body` with a client, and closes it.
  static func with<Result>(_ body: (OathClient) async throws -> Result) async throws -> Result {
    let client = try await OathClient.createClient { $0.logger = RemarkLogger() }
    return try await ending({ try await client.close() }) { try await body(client) }
  }
}

extension CommandFailure {
  /// A failure of the client for one-time codes, with what to do next.
  static func of(oath error: OathError) -> CommandFailure {
    let advice: String? =
      switch error {
      case .credentialNotFound: "`sealring oath list` shows what there is."
      case .duplicateCredential:
        "To replace it, delete the old one first with `sealring oath delete`."
      case .credentialLocked: "`sealring oath list` names the policy."
      case .invalidUri, .missingRequiredParameter, .invalidParameterValue, .invalidSecret, .invalidOathType,
        .invalidAlgorithm:
        "Pass the whole code, as the service shows it, in quotation marks."
      case .policyViolation: "This device does not meet what the server asks for."
      case .initializationFailed: "Check the folder SEALRING_HOME and who may write there."
      default: nil
      }
    return CommandFailure(PlainReason.of(error) + (advice.map { " " + $0 } ?? ""), code: error.code)
  }
}

extension OathClient {
  /// The credential of that id, or of the only account or issuer of that name; the only one there is for `nil`.
  func named(_ text: String?) async throws -> OathCredential {
    let all = try await getCredentials()
    guard let text else {
      guard let only = all.first, all.count == 1 else {
        throw CommandFailure(
          all.isEmpty
            ? "This device makes no one-time codes yet. Enrol it with `sealring oath add`."
            : "There are \(all.count) credentials. Name one; `sealring oath list` shows them.",
          code: all.isEmpty ? .notFound : .usage)
      }
      return only
    }
    if let exact = all.first(where: { $0.id == text }) { return exact }
    let matches = all.filter {
      [$0.accountName, $0.displayAccountName, $0.issuer, $0.displayIssuer].contains(text)
    }
    guard let only = matches.first, matches.count == 1 else {
      throw CommandFailure(
        matches.isEmpty
          ? "There is no credential \(printable(text)) on this device. `sealring oath list` shows what there is."
          : "\(matches.count) credentials are called \(printable(text)). Use the id; `sealring oath list` shows it.",
        code: matches.isEmpty ? .notFound : .usage)
    }
    return only
  }
}

extension OathCredential {
  /// `account at issuer`.
  var displayName: String {
    displayIssuer.isEmpty ? displayAccountName : "\(displayAccountName) at \(displayIssuer)"
  }

  /// How codes are made, in a few words.
  var summary: String {
    let moving = oathType == .totp ? "every \(period) s" : "counter"
    return "\(digits) digits, \(moving)" + (oathAlgorithm == .sha1 ? "" : ", \(algorithm)")
  }

  /// Whether it can be used, in a few words.
  var state: String {
    if isLocked { return "locked by \(printable(lockingPolicy ?? "a policy"))" }
    return isUnproven ? "not proven to the server yet" : "usable"
  }

  /// For programs; without the secret.
  var record: JSONValue {
    [
      "id": .string(id), "issuer": .string(displayIssuer), "accountName": .string(displayAccountName),
      "userId": userId.map { .string($0) } ?? .null, "type": .string(type), "algorithm": .string(algorithm),
      "digits": .integer(Int64(digits)),
      "period": oathType == .totp ? .integer(Int64(period)) : .null,
      "counter": oathType == .hotp ? .integer(Int64(counter)) : .null,
      "createdAt": .string(createdAt.formatted(.iso8601)), "locked": .bool(isLocked),
      "proven": .bool(!isUnproven), "lockingPolicy": lockingPolicy.map { .string($0) } ?? .null,
    ]
  }
}
