internal import Bytes
internal import Foundation
public import JourneyEngine
internal import JourneyNodes
public import JourneyScripts
internal import JourneyStore
internal import Logging
public import StrictJSON
internal import WebAddresses

/// Runs one script without a server: what `sealring script run` shows.
public enum ScriptRehearsal {
  /// What became of the run.
  public struct Report: Sendable {
    /// `nil` when the script asks the client or suspends the journey.
    public var outcome: String?

    /// What the client would be asked: type, output and input.
    public var callbacks: [JSONObject]

    /// The message of a suspension.
    public var suspension: String?
    public var shared: JSONObject
    public var transient: JSONObject
    public var log: [ScriptLogLine]

    /// What the node says of changes that it did not take.
    public var remarks: [String]
  }

  /// - Parameters:
  ///   - libraries: what `require` finds, by name.
  ///   - configuration: how scripts run; there are no identities.
  /// - Throws: `ScriptError` when the script fails or is over a limit.
  public static func run(
    _ script: JourneyScript, libraries: [String: String] = [:], shared: JSONObject, transient: JSONObject,
    realm: String = "alpha", configuration: ScriptConfiguration
  ) async throws -> Report {
    var services = NodeServices(
      store: try SQLiteStore.inMemory(), passwords: JourneyFileCheck.NoPasswords(), clock: { Date() },
      randomBytes: { SystemRandom.bytes($0) })
    let scripts = configuration.services(
      cookieName: SessionCookieName.standard.text, logger: Logger(label: "sealring"))
    defer { scripts.workers.close() }
    services.scripts = scripts
    let trial = try await ScriptTrial.run(
      script, libraries: libraries, state: JourneyState(shared: shared, transient: transient),
      request: RequestFacts(realm: realm), services: services)
    return Report(
      outcome: trial.outcome, callbacks: trial.callbacks.map(Self.form),
      suspension: trial.suspension, shared: trial.state.shared, transient: trial.state.transient,
      log: trial.log,
      remarks: trial.reasons)
  }

  private static func form(_ callback: OutgoingCallback) -> JSONObject {
    func fields(_ fields: [OutgoingCallback.Field]) -> JSONValue {
      .array(fields.map { ["name": .string($0.name), "value": $0.value] })
    }
    return [
      "type": .string(callback.type), "output": fields(callback.outputs), "input": fields(callback.inputs),
    ]
  }
}
