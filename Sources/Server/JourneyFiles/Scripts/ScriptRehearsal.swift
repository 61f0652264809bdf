internal import Bytes
internal import Foundation
public import JourneyEngine
public import JourneyNodes
internal import JourneyScripts
internal import JourneyStore
internal import Logging
public import StrictJSON
internal import WebAddresses

/// Runs one script without a server: what `sealring script run` shows.
public enum ScriptRehearsal {
  /// - Parameters:
  ///   - libraries: what `require` finds, by name.
  ///   - configuration: how scripts run; there are no identities.
  /// - Throws: `ScriptError` when the script fails or is over a limit.
  public static func run(
    _ script: JourneyScript, libraries: [String: String] = [:], shared: JSONObject, transient: JSONObject,
    realm: String = "alpha", configuration: ScriptConfiguration
  ) async throws -> ScriptTrial {
    var services = NodeServices(
      store: try SQLiteStore.inMemory(), passwords: JourneyFileCheck.NoPasswords(), clock: { Date() },
      randomBytes: { SystemRandom.bytes($0) })
    let scripts = configuration.services(
      cookieName: SessionCookieName.standard.text, logger: Logger(label: "sealring"))
    defer { scripts.workers.close() }
    services.scripts = scripts
    return try await ScriptTrial.run(
      script, libraries: libraries, state: JourneyState(shared: shared, transient: transient),
      request: RequestFacts(realm: realm), services: services)
  }
}
