internal import Bytes
internal import Concurrency
internal import Foundation
internal import JourneyEngine
internal import StrictJSON

/// Sends a request to another host, and decides by its answer.
///
/// It reaches the same hosts as scripts' `httpClient` (``ScriptHTTP``): those of the operator's list, without redirects, with certificates
/// that are always checked. An answer with an unexpected status sets no state variable except that of the status.
struct RESTNode: JourneyNode {
  let outcomes: [String]
  let warnings: [String]
  let stateOutputs: [String]

  private let request: RESTRequest
  private let codes: [String]
  private let statusVariable: String?
  private let variables: [(name: String, path: JSONPath)]
  private let decisions: [(outcome: String, path: JSONPath)]
  private let timeout: Int
  private let scripts: ScriptServices?

  private static let noMatch = "NOMATCHRESPONSE"
  private static let error = "ERROR"

  /// Longest time to wait, in seconds: a client waits for the answer meanwhile.
  private static let longestTime = 60

  /// What an answer may put into state, in bytes: the state travels with every request of the journey.
  private static let mostState = 32 << 10

  private static let limits = JSONLimits(maximumBytes: 1 << 20, maximumDepth: 64)

  /// The properties that cause no warning. Not all of them are read, such as certificates.
  private static let known: Set<String> = [
    "restURL", "requestMode", "bodyType", "headersMap", "queryParamsMap", "responseCodes", "statusCodeReturn",
    "jpToSSMapper", "jpToOutcomeMapper", "timeout", "basicAuthn", "usemTLS", "publicCert", "privateKey",
    "disableCertChecks",
  ]

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    request = try RESTRequest(definition)
    scripts = services.scripts
    codes = try Self.codes(definition)
    let status = try definition.string("statusCodeReturn")
    statusVariable = status.isEmpty ? nil : status
    variables = try definition.paths("jpToSSMapper").map { ($0.name, $0.path) }
    decisions = try definition.paths("jpToOutcomeMapper").map { ($0.name, $0.path) }
    stateOutputs = variables.map(\.name) + (statusVariable.map { [$0] } ?? [])
    if let name = stateOutputs.first(where: ReservedState.names.contains) {
      throw definition.wrong(
        name == statusVariable ? "statusCodeReturn" : "jpToSSMapper",
        "may not set \(name.quoted), which belongs to another node")
    }
    timeout = try Self.timeout(definition)
    guard try !definition.flag("usemTLS", default: false) else {
      throw definition.wrong(
        "usemTLS",
        "asks for a client certificate, which is not available here: a journey must not name files of the server"
      )
    }
    if try definition.flag("disableCertChecks", default: false) {
      definition.repaired(
        "disableCertChecks", "asks not to check certificates", instead: "They are checked all the same.")
    }
    var all = codes
    for outcome in decisions.map(\.outcome) + [Self.noMatch, Self.error] where !all.contains(outcome) {
      all.append(outcome)
    }
    outcomes = all
    let like = [
      definition.propertyName(like: ["payload", "body"], except: ["bodyType"]),
      definition.propertyName(like: ["user"]), definition.propertyName(like: ["pass"]),
    ]
    warnings = definition.properties.names.filter { name in
      !name.hasPrefix("_") && !Self.known.contains(name) && !like.contains(name)
        && definition.properties[name]?.isNull == false
    }
    .map { "the property \($0.quoted) is not known here and has no effect" }
  }

  private static func codes(_ definition: NodeDefinition) throws(JourneyFileError) -> [String] {
    definition.noteReading("responseCodes", as: "list of texts", default: "[]")
    var codes: [String] = []
    for value in definition.properties["responseCodes"]?.arrayValue ?? [] {
      guard let code = value.stringValue ?? value.integerValue.map(String.init) else {
        throw definition.wrong("responseCodes", "must hold status codes only")
      }
      if !codes.contains(code) { codes.append(code) }
    }
    return codes
  }

  private static func timeout(_ definition: NodeDefinition) throws(JourneyFileError) -> Int {
    let seconds = try definition.integer("timeout", default: 30, in: 0...Int(Int32.max))
    guard !(1...longestTime).contains(seconds) else { return seconds }
    definition.repaired(
      "timeout", "is not from 1 to \(longestTime) seconds", instead: "The node waits \(longestTime) seconds.")
    return longestTime
  }

  var stateInputs: [String] { request.variables }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    if let statusVariable { context.state.shared[statusVariable] = nil }
    let answer: ScriptHTTPAnswer
    do { answer = try await send(context) } catch let error as CancellationError {
      throw error
    } catch {
      return context.outcome(Self.error, because: "the request was not answered: \(error)")
    }
    if let statusVariable { context.state.shared[statusVariable] = .integer(Int64(answer.status)) }
    let code = String(answer.status)
    guard codes.contains(code) else {
      return context.outcome(Self.noMatch, because: "the answer has the status \(code)")
    }
    guard !variables.isEmpty || !decisions.isEmpty else { return .outcome(code) }
    let body = try? JSONValue(parsing: Array(answer.body.utf8), limits: Self.limits)
    if body == nil { context.logReason("the answer is not JSON") }
    guard put(body, into: &context.state) else {
      return context.outcome(
        Self.error, because: "the answer's values have more than \(Self.mostState) bytes together")
    }
    let decision = decisions.first { decision in body.flatMap(decision.path.value).map(Self.speaks) ?? false }
    return .outcome(decision?.outcome ?? code)
  }

  private func send(_ context: NodeContext) async throws -> ScriptHTTPAnswer {
    guard let http = scripts?.http else {
      throw NodeError("the operator allows no hosts (--script-host)")
    }
    let (filled, method) = (try request.filled(from: context.state), request.method)
    let (time, realm) = (Duration.seconds(timeout), context.request.realm)
    return try await firstOf(
      {
        try await http.send(
          method, filled.url, headers: filled.headers, body: filled.body, realm: realm, within: time)
      }, orAfter: time, throwing: NodeError("no answer within \(timeout) seconds"), abandoning: true)
  }

  /// Sets the variables. Those without a value in the answer are removed, so that an earlier answer's values do not remain.
  ///
  /// - Returns: whether there was room; otherwise nothing is changed.
  private func put(_ body: JSONValue?, into state: inout JourneyState) -> Bool {
    let found = variables.map { ($0.name, body.flatMap($0.path.value)) }
    guard found.reduce(0, { $0 + ($1.1?.serialized.count ?? 0) }) <= Self.mostState else { return false }
    for (name, value) in found { state.shared[name] = value.flatMap { $0.isNull ? nil : $0 } }
    return true
  }

  /// Whether a value is present and not empty.
  private static func speaks(_ value: JSONValue) -> Bool {
    switch value {
    case .null, .bool(false): false
    case .string(let text): !text.isEmpty
    case .array(let values): !values.isEmpty
    case .object(let object): !object.isEmpty
    default: true
    }
  }
}

extension NodeDefinition {
  /// An object of JSON paths.
  fileprivate func paths(_ property: String) throws(JourneyFileError) -> [(name: String, path: JSONPath)] {
    noteReading(property, as: "JSON paths by name", default: "{}")
    var paths: [(name: String, path: JSONPath)] = []
    for (name, value) in try object(property) {
      guard let text = value.stringValue, let path = JSONPath(text) else {
        throw wrong(property, "the path of \(name.quoted) is not of the form $.name.name[0]")
      }
      guard (1...128).contains(name.utf8.count) else {
        throw wrong(property, "has a name that is empty or longer than 128 bytes")
      }
      paths.append((name, path))
    }
    return paths
  }
}
