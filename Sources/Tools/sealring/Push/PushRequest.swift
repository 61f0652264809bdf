import Foundation
import PingPush
import StrictJSON

/// A notification with its account.
struct PushRequest: Sendable {
  let notification: PushNotification
  /// `nil` when the credential was deleted in the meantime.
  let credential: PushCredential?

  /// The action that approval requires.
  enum Question: Sendable, Hashable {
    case tap
    /// Choose the number on the sign-in page.
    case number([Int])
    /// Type the code on the sign-in page, which has `length` digits.
    case code(length: Int)
    /// Prove one's identity to this machine.
    case person
  }

  var id: String { notification.id }
  var text: String { notification.messageText ?? "A sign-in asks for approval." }
  var account: String { credential?.displayName ?? notification.credentialId }

  var question: Question {
    switch notification.pushType {
    case .default: .tap
    case .biometric: .person
    case .challenge:
      notification.codeLength.map { .code(length: $0) } ?? .number(notification.getNumbersChallenge())
    }
  }

  /// The address of the server that the request's credential belongs to.
  var server: String { credential.map { TerminalText.address($0.place.server) } ?? "-" }

  /// The required action, in a word or two.
  var task: String {
    switch question {
    case .tap: "yes or no"
    case .number(let numbers): "number \(numbers.map(String.init).joined(separator: "/"))"
    case .code(let length): "code of \(length)"
    case .person: "fingerprint"
    }
  }

  var state: String {
    if notification.approved { return "approved" }
    if !notification.pending { return "denied" }
    return notification.isExpired ? "expired" : "pending"
  }

  /// The known facts about the place of the sign-in, one per line.
  var context: [(name: String, value: String)] {
    var lines: [(String, String)] = []
    if let info = notification.contextInfo.flatMap({ try? JSONValue(parsing: $0) }) {
      if let address = info["remoteIp"]?.stringValue { lines.append(("from", address)) }
      if let agent = info["userAgent"]?.stringValue { lines.append(("with", agent)) }
      if let place = info["location"], let latitude = place["latitude"]?.text,
        let longitude = place["longitude"]?.text
      {
        lines.append(("at", "latitude \(latitude), longitude \(longitude)"))
      }
    }
    if let payload = notification.customPayload.flatMap({ try? JSONValue(parsing: $0) })?.objectValue {
      lines += payload.map { ($0.name, $0.value.stringValue ?? $0.value.text) }
    }
    return lines
  }

  static var columns: [Column<PushRequest>] {
    [
      Column("REQUEST", "id") { $0.id }, Column(nil, "messageId") { $0.notification.messageId },
      Column(nil, "credentialId") { $0.notification.credentialId },
      Column(nil, "issuer") { $0.credential?.displayIssuer ?? "" },
      Column("ACCOUNT") { $0.account },
      Column(nil, "accountName") { $0.credential?.displayAccountName ?? "" },
      Column("SERVER") { $0.server }, Column(nil, "server") { $0.credential?.place.server },
      Column("ASKS FOR") { $0.task },
      Column(nil, "type") { $0.notification.codeLength == nil ? $0.notification.type : "code" },
      Column("TEXT", "text") {
        $0.text
      } json: {
        $0.notification.messageText.map { .string($0) } ?? .null
      },
      Column(member: "numbers") { .array($0.notification.getNumbersChallenge().map { .integer(Int64($0)) }) },
      Column(member: "codeLength") { $0.notification.codeLength.map { .integer(Int64($0)) } ?? .null },
      Column(member: "context") { .object(JSONObject($0.context.map { ($0.name, .string($0.value)) })) },
      Column(nil, "receivedAt", time: \.notification.createdAt),
      Column(nil, "expiresAt", time: \.notification.expiresAt), Column("STATE", "state") { $0.state },
    ]
  }

  /// The request as JSON, for programs.
  var record: JSONValue { .object(Self.columns.record(of: self)) }

  /// The stored requests, newest first.
  static func all(of client: PushClient, onlyPending: Bool) async throws -> [PushRequest] {
    let credentials = try await client.getCredentials()
    let notifications =
      try await onlyPending ? client.getPendingNotifications() : client.getAllNotifications()
    return notifications.map { notification in
      PushRequest(
        notification: notification, credential: credentials.first { $0.id == notification.credentialId })
    }
  }

  /// The stored request with this id or server message id.
  static func named(_ id: String, of client: PushClient) async throws -> PushRequest {
    let requests = try await all(of: client, onlyPending: false)
    guard let request = requests.first(where: { $0.id == id || $0.notification.messageId == id }) else {
      throw CommandFailure.notFound(
        "There is no request \(printable(id)) on this device. `sealring push list` asks the servers and shows what there is."
      )
    }
    return request
  }
}

extension PushCredential {
  /// `account at issuer`.
  var displayName: String {
    displayIssuer.isEmpty ? displayAccountName : "\(displayAccountName) at \(displayIssuer)"
  }

  /// The server's base address and the realm, as far as the endpoint contains them: `…/am/json/realms/root/realms/alpha/push/…`, or
  /// `…/am/json/alpha/push/…` in enrolments.
  var place: (server: String, realm: String?) {
    guard let json = serverEndpoint.range(of: "/json/") else { return (serverEndpoint, nil) }
    let server = String(serverEndpoint[..<json.lowerBound])
    let path = serverEndpoint[json.upperBound...].prefix { $0 != "?" }
    var realms: [String] = []
    var words = path.split(separator: "/")[...]
    while words.first == "realms", words.count > 1 {
      realms.append(String(words[words.startIndex + 1]))
      words = words.dropFirst(2)
    }
    if realms.count > 1, realms.first == "root" { realms.removeFirst() }
    if realms.isEmpty { realms = words.prefix { $0 != "push" }.map(String.init) }
    return (server, realms.isEmpty ? nil : realms.joined(separator: "/"))
  }

  /// This device's facts about the requester, one per line.
  func rows(withID: Bool = false) -> String {
    TerminalText.rows([
      ("Server", TerminalText.address(place.server)), ("Realm", place.realm ?? ""),
      ("Credential", withID ? id : ""),
    ])
  }

  /// The columns of a list, without the secret.
  static var columns: [Column<PushCredential>] {
    [
      Column("CREDENTIAL", "id") { $0.id }, Column("ISSUER", "issuer") { $0.displayIssuer },
      Column("ACCOUNT", "accountName") { $0.displayAccountName }, Column(nil, "userId") { $0.userId },
      Column(nil, "serverEndpoint") { $0.serverEndpoint }, Column(nil, "server") { $0.place.server },
      Column(nil, "realm") { $0.place.realm }, Column("ENROLLED", "createdAt", time: \.createdAt),
      Column("STATE", "locked") {
        $0.isLocked ? "locked by \($0.lockingPolicy ?? "a policy")" : "usable"
      } json: {
        .bool($0.isLocked)
      },
      Column("REALM", none: "-") { $0.place.realm }, Column("SERVER") { $0.place.server },
      Column(nil, "lockingPolicy") { $0.lockingPolicy },
    ]
  }
}
