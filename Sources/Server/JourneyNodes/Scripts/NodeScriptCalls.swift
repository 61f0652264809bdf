internal import Accounts
internal import AuthorizationPolicies
internal import Concurrency
internal import Foundation
internal import JourneyEngine
internal import JourneyScripts
internal import StrictJSON

/// Answers what one run of a script asks for, with the rights of its journey: this realm's identities, the operator's list of hosts.
struct NodeScriptCalls: ScriptCalls {
  private let services: NodeServices
  private let scripts: ScriptServices
  private let realm: String
  private let makeLink: (@Sendable () throws -> ResumeLink)?
  private let made = Locked<ResumeLink?>(nil)
  private let count = Locked(0)
  private let address: String
  private let actor: AccountActor

  /// The remaining cost of policies in this run.
  private let policyBudget = Locked(PolicyBudget())

  /// The most calls of one run.
  private static let most = 1000

  init(
    realm: String, address: String = "", makeLink: (@Sendable () throws -> ResumeLink)? = nil,
    actor: AccountActor = .nobody, services: NodeServices, scripts: ScriptServices
  ) {
    (self.realm, self.address, self.makeLink, self.actor) = (realm, address, makeLink, actor)
    (self.services, self.scripts) = (services, scripts)
  }

  /// The link that the script was given, if it asked for one.
  var link: ResumeLink? { made.withLock { $0 } }

  func answer(_ function: String, _ arguments: [JSONValue]) async throws -> JSONValue {
    let number = count.withLock { count in
      count += 1
      return count
    }
    guard number <= Self.most else {
      throw NodeError("a script may call the server \(Self.most) times at most")
    }
    let call = ScriptCall(function: function, arguments: arguments)
    let cryptography = ScriptCryptography(services: services)
    switch function {
    case "uuid": return .string(services.uuid())
    case "random": return try cryptography.random(call)
    case "digest": return try cryptography.digest(call)
    case "hmac": return try cryptography.hmac(call)
    case "verifyHMAC": return try cryptography.verifiesHMAC(call)
    case "jwt.sign": return try await cryptography.sign(call)
    case "jwt.verify": return try cryptography.verify(call)
    case "env":
      let name = try call.text(0)
      return scripts.variable(name, realm: realm).map { .string($0) } ?? .null
    case "resumeLink": return .string(try resumeLink().address)
    case "http": return try await send(call)
    default: break
    }
    let identities = ScriptIdentities(
      objects: scripts.identities ?? services.identities(for: actor), realm: realm)
    guard function == "policy.evaluate" else { return try await identities.answer(call) }
    let request = try await ScriptPolicyRequest(identities: identities, services: services, address: address)
      .request(of: call)
    let policies = scripts.policies(realm)
    return try policyBudget.withLock { budget in
      .array(try policies.evaluate(request, &budget).map { .object($0.json) })
    }
  }

  /// Makes the run's link once, and returns the same one however often a script asks.
  private func resumeLink() throws -> ResumeLink {
    guard let makeLink else { throw NodeError("journeys cannot be suspended here") }
    return try made.withLock { made in
      let link = try made ?? makeLink()
      made = link
      return link
    }
  }

  private func send(_ call: ScriptCall) async throws -> JSONValue {
    guard let http = scripts.http else {
      throw NodeError("httpClient is off: the operator allows no hosts (--script-host)")
    }
    var headers: [String: String] = [:]
    for (name, value) in try call.object(2) { headers[name] = value.stringValue }
    let body = call.arguments.count > 3 ? call.arguments[3].stringValue : nil
    do {
      return try await http.send(
        try call.text(1), try call.text(0), headers: headers, body: body.map { Array($0.utf8) }, realm: realm,
        within: nil
      ).json
    } catch { throw NodeError("httpClient: \(error)") }
  }
}

/// One call of a script: a name, and untrusted arguments.
struct ScriptCall {
  let function: String
  let arguments: [JSONValue]

  func text(_ index: Int) throws(NodeError) -> String { try argument(index, "a text", \.stringValue) }

  func optionalText(_ index: Int) throws(NodeError) -> String? {
    guard arguments.indices.contains(index), !arguments[index].isNull else { return nil }
    return try text(index)
  }

  func object(_ index: Int) throws(NodeError) -> JSONObject {
    try argument(index, "an object", \.objectValue)
  }

  func list(_ index: Int) throws(NodeError) -> [JSONValue] { try argument(index, "a list", \.arrayValue) }

  func texts(_ index: Int) throws(NodeError) -> [String] { try list(index).compactMap(\.stringValue) }

  func number(_ index: Int, in range: ClosedRange<Int>) throws(NodeError) -> Int {
    try argument(index, "a number from \(range.lowerBound) to \(range.upperBound)") { value in
      value.integerValue.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  private func argument<Value>(
    _ index: Int, _ kind: String, _ value: (JSONValue) -> Value?
  ) throws(NodeError) -> Value {
    guard arguments.indices.contains(index), let value = value(arguments[index]) else {
      throw NodeError("\(function): argument \(index + 1) must be \(kind)")
    }
    return value
  }
}
