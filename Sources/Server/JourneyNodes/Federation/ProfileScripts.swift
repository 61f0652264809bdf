public import JourneyEngine
internal import JourneyScripts
public import StrictJSON

/// Runs transformations in the workers that run the journeys' scripts, with the same limits.
public struct ProfileScripts: ProfileTransforming {
  private let services: NodeServices
  private let scripts: ScriptServices

  /// Longest profile that a script may make. Bytes.
  private static let maximumBytes = 64 << 10

  /// - Returns: `nil` where no scripts are run.
  public init?(services: NodeServices) {
    guard let scripts = services.scripts else { return nil }
    self.services = services
    self.scripts = scripts
  }

  public func transform(
    _ profile: JSONObject, normalized: JSONObject, by script: JourneyScript, among all: [JourneyScript],
    realm: String
  ) async throws -> JSONObject {
    let run = ScriptRun(
      name: script.name, source: script.source, isLegacy: script.evaluatorVersion != "2.0",
      libraries: all.libraries,
      bindings: [
        "profile": ["raw": .object(profile), "normalized": .object(normalized)],
        "realm": .string(realm == "root" ? "/" : "/\(realm)"), "cookieName": .string(scripts.cookieName),
      ])
    let decision = try await scripts.run(
      run, NodeScriptCalls(realm: realm, services: services, scripts: scripts))
    guard let made = decision["profile"]?.objectValue else {
      throw NodeError(
        "the script \(script.name.quoted) made no profile: what it evaluates to last must be an object")
    }
    guard made.serialized.count <= Self.maximumBytes else {
      throw NodeError(
        "the script \(script.name.quoted) made a profile of more than \(Self.maximumBytes) bytes")
    }
    return made
  }
}
