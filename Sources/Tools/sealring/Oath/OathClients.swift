import Foundation
import PingOath
import StrictJSON

/// The client for one-time codes, with its state in the client's folder.
enum OathClients {
  /// Runs `body` with a client, and closes it.
  static func with<Result>(_ body: (OathClient) async throws -> Result) async throws -> Result {
    let client = try await OathClient.createClient { $0.logger = RemarkLogger() }
    return try await ending({ try await client.close() }) { try await body(client) }
  }
}

extension CommandFailure {
  /// Explains a failure of the client for one-time codes, with the next step.
  static func of(oath error: OathError) -> CommandFailure {
    let said = PlainReason.of(error)
    return switch error {
    case .credentialNotFound: .notFound("\(said) `sealring oath list` shows what there is.")
    case .duplicateCredential:
      .conflict("\(said) To replace it, delete the old one first with `sealring oath delete`.")
    case .credentialLocked: .locked("\(said) `sealring oath list` names the policy.")
    case .invalidUri, .missingRequiredParameter, .invalidParameterValue, .invalidSecret, .invalidOathType,
      .invalidAlgorithm:
      .invalid("\(said) Pass the whole code, as the service shows it, in quotation marks.")
    case .policyViolation: .unsupported("\(said) This device does not meet what the server asks for.")
    case .initializationFailed:
      CommandFailure("\(said) Check the folder SEALRING_HOME and who may write there.")
    default: CommandFailure(said)
    }
  }
}

extension OathClient {
  /// The credential with this id, or with this account or issuer if only one has it; for `nil` the only credential.
  func named(_ text: String?) async throws -> OathCredential {
    let all = try await getCredentials()
    guard let text else {
      return try onlyOne(
        all, none: "This device makes no one-time codes yet. Enrol it with `sealring oath add`.",
        several: "There are \(all.count) credentials. Name one; `sealring oath list` shows them.")
    }
    if let exact = all.first(where: { $0.id == text }) { return exact }
    let matches = all.filter {
      [$0.accountName, $0.displayAccountName, $0.issuer, $0.displayIssuer].contains(text)
    }
    return try onlyOne(
      matches,
      none:
        "There is no credential \(printable(text)) on this device. `sealring oath list` shows what there is.",
      several:
        "\(matches.count) credentials are called \(printable(text)). Use the id; `sealring oath list` shows it."
    )
  }
}

extension OathCredential {
  /// `account at issuer`.
  var displayName: String {
    displayIssuer.isEmpty ? displayAccountName : "\(displayAccountName) at \(displayIssuer)"
  }

  /// The method for making codes, in a few words.
  var summary: String {
    let moving = oathType == .totp ? "every \(period) s" : "counter"
    return "\(digits) digits, \(moving)" + (oathAlgorithm == .sha1 ? "" : ", \(algorithm)")
  }

  /// Whether the credential can be used, in a few words.
  var state: String {
    if isLocked { return "locked by \(printable(lockingPolicy ?? "a policy"))" }
    return isUnproven ? "not proven to the server yet" : "usable"
  }

  /// The columns of a list, without the secret.
  static var columns: [Column<OathCredential>] {
    [
      Column("CREDENTIAL", "id") { $0.id }, Column("ISSUER", "issuer") { $0.displayIssuer },
      Column("ACCOUNT", "accountName") { $0.displayAccountName }, Column(nil, "userId") { $0.userId },
      Column(nil, "type") { $0.type }, Column("CODES") { $0.summary },
      Column(nil, "algorithm") { $0.algorithm },
      Column(nil, "digits", number: \.digits),
      Column(member: "period") { $0.oathType == .totp ? .integer(Int64($0.period)) : .null },
      Column(member: "counter") { $0.oathType == .hotp ? .integer(Int64($0.counter)) : .null },
      Column("ENROLLED", "createdAt", time: \.createdAt), Column("STATE") { $0.state },
      Column(member: "locked") { .bool($0.isLocked) }, Column(member: "proven") { .bool(!$0.isUnproven) },
      Column(nil, "lockingPolicy") { $0.lockingPolicy },
    ]
  }
}
