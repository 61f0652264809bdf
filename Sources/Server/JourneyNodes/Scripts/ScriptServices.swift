package import AuthorizationPolicies
public import JourneyScripts
internal import StrictJSON

/// What script nodes work with.
public struct ScriptServices: Sendable {
  /// The processes that run scripts.
  public var workers: ScriptWorkers

  /// Sends the requests of `httpClient` and of nodes; `nil` refuses them all.
  public var http: (any ScriptHTTP)?

  /// The identities behind `idRepository` and `openidm`; `nil` for the nodes' identities.
  public var identities: (any ManagedObjects)?

  /// The policies of a realm, for `policy`.
  package var policies: @Sendable (_ realm: String) -> RealmPolicies = { _ in RealmPolicies() }

  /// The variables that `systemEnv` finds in every realm.
  public var environment: [String: String] = [:]

  /// The variables that `systemEnv` finds in one realm only, by the realm's name in lower case. They take precedence over ``environment``.
  public var realmEnvironments: [String: [String: String]] = [:]

  /// The name of the session's cookie.
  public var cookieName = "iPlanetDirectoryPro"

  /// Receives what scripts log: the line, the script's name, the journey's.
  public var log: @Sendable (ScriptLogLine, _ script: String, _ journey: String) -> Void = { _, _, _ in }

  public init(workers: ScriptWorkers) { self.workers = workers }

  /// Runs a script and passes its log lines on, whether or not it fails.
  ///
  /// - Returns: its decision, in which nothing is trusted.
  func run(_ run: ScriptRun, _ calls: NodeScriptCalls, journey: String = "") async throws -> JSONObject {
    let output: Result<ScriptOutput, any Error>
    do { output = .success(try await workers.run(run, calls: calls)) } catch { output = .failure(error) }
    let lines =
      switch output {
      case .success(let output): output.log
      case .failure(let error): (error as? ScriptError)?.log ?? []
      }
    for line in lines { log(line, run.name, journey) }
    return try output.get().decision
  }

  /// The variable that scripts of `realm` find under `name`.
  func variable(_ name: String, realm: String) -> String? {
    realmEnvironments[realm.lowercased()]?[name] ?? environment[name]
  }
}

/// Sends the requests of journeys, from scripts and nodes, to other hosts: to those that the operator allows, and no others.
public protocol ScriptHTTP: Sendable {
  /// - Parameters:
  ///   - url: as the journey has it.
  ///   - realm: the journey's; each realm has hosts of its own.
  ///   - time: how long to wait for an answer; `nil` for as long as scripts may.
  /// - Throws: what the script gets as an error; it reveals nothing about this server's network.
  func send(
    _ method: String, _ url: String, headers: [String: String], body: [UInt8]?, realm: String,
    within time: Duration?
  ) async throws -> ScriptHTTPAnswer
}

/// The answer to a request.
public struct ScriptHTTPAnswer: Sendable, Hashable {
  public var status: Int
  public var reason: String

  /// Names in lower case.
  public var headers: [String: String]
  public var body: String

  public init(status: Int, reason: String, headers: [String: String], body: String) {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.body = body
  }

  var json: JSONValue {
    [
      "status": .integer(Int64(status)), "reason": .string(reason),
      "headers": .object(JSONObject(headers.map { ($0, .string($1)) })), "body": .string(body),
    ]
  }
}
