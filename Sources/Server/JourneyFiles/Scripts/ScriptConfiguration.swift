internal import Bytes
internal import Concurrency
public import Foundation
package import JourneyNodes
public import JourneyScripts
internal import JourneyStore
package import Logging
internal import Operations
internal import PrivateFiles
internal import PushTransports
internal import StrictJSON
internal import WebAddresses

/// How a server runs the scripts of its journeys.
public struct ScriptConfiguration: Sendable {
  /// A program that becomes a worker when it is told to, such as `sealring`; `nil` runs no scripts. Programs that embed the server
  /// name an installed `sealring`.
  public var program: String?

  /// How many scripts compute at once.
  public var workers = ScriptWorkers.standardCount

  public var limits = ScriptLimits()

  /// Where scripts may send requests.
  public var hosts = ScriptHosts()

  /// The variables that `systemEnv` finds in every realm.
  public var environment: [String: String] = [:]

  /// The variables that `systemEnv` finds in one realm only, by the realm's name. They take precedence over ``environment``.
  public var realmEnvironments: [String: [String: String]] = [:]

  public init() {}

  /// Whether the scripts of all realms share variables or hosts. Then only administrators of the root realm put journeys live, because
  /// those of another realm could read variables and call hosts that are not theirs.
  package var sharesAmongRealms: Bool { !environment.isEmpty || hosts.areShared }

  /// Longest file of variables.
  private static let longestFile = 1 << 20

  /// The variables of a file: a JSON object of texts.
  ///
  /// - Throws: ``ServerSetupError``, which does not show what is in the file.
  public static func environment(file: URL) throws -> [String: String] {
    do {
      let document = try JSONReader(
        parsing: file.bytes(atMost: longestFile),
        rules: JSONReader.Rules(skipsBlanks: true, longestText: longestFile, mostElements: .max))
      return Dictionary(try document.members().map { ($0.name, try $0.value.text()) }) { $1 }
    } catch {
      let reason = (error as? JSONFault).map { "\($0)." } ?? FileReason.of(error)
      throw ServerSetupError(
        "The variables for scripts in \(file.path) cannot be used: \(reason) "
          + "The file must be a JSON object whose members are texts, such as {\"esv.name\": \"value\"}.")
    }
  }

  /// The services for nodes that run scripts.
  package func services(cookieName: String, policies: PolicyFolder? = nil, logger: Logger) -> ScriptServices {
    var services = ScriptServices(
      workers: ScriptWorkers(program: program, count: workers, limits: limits))
    services.http = hosts.isEmpty ? nil : ScriptHTTPClient(hosts: hosts)
    (services.environment, services.cookieName) = (environment, cookieName)
    services.log = { line, script, journey in
      logger.log(
        level: Logger.Level(rawValue: line.level) ?? .info, "\(line.text)",
        metadata: ["script": "\(script)", "journey": "\(journey)"])
    }
    for (realm, variables) in realmEnvironments { services.realmEnvironments[realm.lowercased()] = variables }
    if let policies { services.policies = policies.policies }
    return services
  }
}

/// Where scripts may send requests: origins that the operator lists, for all realms or for one.
public struct ScriptHosts: Sendable, Hashable {
  /// Whether each listed origin may be in this server's own network, or on this machine; by the realm's name in lower case, `nil` for all.
  private var origins: [String?: [WebOrigin: Bool]] = [:]

  public init() {}

  /// Adds an origin such as `https://api.example.com`; without a scheme it is https.
  ///
  /// - Parameters:
  ///   - isPrivate: whether its host may be in this server's own network. Plain http is for such hosts only.
  ///   - realm: the realm whose journeys may reach it; `nil` for all.
  /// - Throws: ``ServerSetupError`` for anything else.
  public mutating func allow(_ text: String, isPrivate: Bool, realm: String? = nil) throws {
    guard let origin = WebOrigin(text.contains("://") ? text : "https://\(text)") else {
      throw ServerSetupError(
        "\(text.debugDescription) is not the address of a host for scripts. Write https://HOST or https://HOST:PORT."
      )
    }
    guard origin.isHTTPS || isPrivate else {
      throw ServerSetupError(
        "Scripts reach \(origin) by http only with --script-private-host; others would read what is sent.")
    }
    let realm = realm?.lowercased()
    origins[realm, default: [:]][origin] = isPrivate || origins[realm]?[origin] == true
  }

  /// Whether `origin` is listed for the journeys of `realm`, and then whether it may be private.
  func allowance(for origin: WebOrigin, realm: String) -> Bool? {
    let found = [origins[realm.lowercased()]?[origin], origins[nil]?[origin]].compactMap(\.self)
    return found.isEmpty ? nil : found.contains(true)
  }

  var isEmpty: Bool { origins.isEmpty }

  /// Whether something is listed for all realms.
  var areShared: Bool { origins[nil] != nil }
}

/// Sends the requests of journeys' scripts and nodes to other hosts: only to listed ones, without redirects, within limits.
struct ScriptHTTPClient: ScriptHTTP {
  let hosts: ScriptHosts
  var client = CheckedClient()

  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// Headers that say where a message ends or goes, which only the client sets.
  private static let own: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer",
    "expect", "proxy-authorization", "proxy-connection",
  ]

  /// Longest request and answer, in bytes; both fit a message of a worker.
  private static let longest = 256 << 10

  /// The most requests under way at once. Nodes without this limit would have as many as there are journeys. Realms share them: a slow host
  /// of one leaves requests to the others.
  static let mostAtOnce = 64
  private let underWay = Locked(RealmShares(limit: Self.mostAtOnce))

  /// Why a request was not sent.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  func send(
    _ method: String, _ url: String, headers: [String: String], body: [UInt8]?, realm: String,
    within time: Duration?
  ) async throws -> ScriptHTTPAnswer {
    guard let origin = WebOrigin(address: url), url.allSatisfy({ $0.isASCII && !$0.isWhitespace }) else {
      throw Refusal(description: "the address is not a plain http or https address")
    }
    guard let allowsPrivate = hosts.allowance(for: origin, realm: realm) else {
      throw Refusal(
        description:
          "\(origin) is not in the list of hosts that journeys may reach (--script-host)")
    }
    let method = method.uppercased()
    guard Self.methods.contains(method) else {
      throw Refusal(
        description: "the method is not one of \(Self.methods.sorted().joined(separator: ", "))")
    }
    guard (body?.count ?? 0) <= Self.longest else {
      throw Refusal(description: "the request is longer than \(Self.longest) bytes")
    }
    var sent: [String: String] = [:]
    for (name, value) in headers where !Self.own.contains(name.lowercased()) {
      guard Self.isToken(name), value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
      else {
        throw Refusal(description: "a header's name or value has characters that cannot be sent")
      }
      sent[name] = value
    }
    let realm = RealmKey(realm).realm
    guard underWay.withLock({ $0.take(for: realm) }) else {
      throw Refusal(description: "too many requests of this realm are under way already")
    }
    defer { underWay.withLock { $0.giveBack(of: realm) } }
    let answer = try await client.send(
      method, url, of: origin, headers: sent, body: body,
      allowsPrivate: allowsPrivate, limit: Self.longest, answering: time.map { max(1, $0.components.seconds) }
    )
    return ScriptHTTPAnswer(
      status: answer.status, reason: answer.reason, headers: answer.headers,
      body: String(decoding: answer.body, as: UTF8.self))
  }

  /// A field name (RFC 9110 §5.6.2).
  private static func isToken(_ name: String) -> Bool {
    (1...256).contains(name.utf8.count) && name.utf8.allSatisfy(\.isTokenCharacter)
  }
}
