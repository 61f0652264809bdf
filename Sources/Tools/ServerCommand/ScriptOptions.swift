import ArgumentParser
import Foundation
import JourneyScripts
package import JourneyFiles
import Assembly

/// The options for scripts of journeys.
package struct ScriptOptions: ParsableArguments, ServerOptionGroup {
  package init() {}

  @Option(help: "Maximum number of scripts that compute at once (docs/scripts.md).")
  var scriptWorkers = ScriptWorkers.standardCount

  @Option(help: "Milliseconds of processor time that a script may compute.")
  var scriptTime = Int(ScriptLimits().time / .milliseconds(1))

  @Option(help: "Megabytes of memory that a process running scripts may have.")
  var scriptMemory = ScriptLimits().memory >> 20

  @Option(
    help: ArgumentHelp(
      "Host that scripts and REST nodes may send requests to, such as https://api.example.com; in the public network. REALM=… for one realm's. Repeatable.",
      valueName: "[REALM=]origin"))
  var scriptHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "The same for a host in this server's own network, or on this machine. Repeatable.",
      valueName: "[REALM=]origin"))
  var scriptPrivateHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "JSON file with the variables that scripts read by systemEnv, such as {\"esv.name\": \"value\"}. REALM=… for one realm's scripts. Repeatable.",
      valueName: "[REALM=]file"), completion: .file())
  var scriptEnvironment: [String] = []

  package func validate() throws {
    try ScriptWorkers.counts.require(scriptWorkers, for: "--script-workers")
    try (10...10_000).require(scriptTime, for: "--script-time", unit: " of milliseconds")
    try (96...4096).require(scriptMemory, for: "--script-memory", unit: " of megabytes")
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.scripts = try self.configuration()
  }

  package func configuration() throws -> ScriptConfiguration {
    var configuration = ScriptConfiguration()
    configuration.program = ScriptWorkerProgram.ownPath
    configuration.workers = scriptWorkers
    configuration.limits.time = .milliseconds(scriptTime)
    configuration.limits.memory = scriptMemory << 20
    for (hosts, isPrivate) in [(scriptHost, false), (scriptPrivateHost, true)] {
      for text in hosts {
        let (realm, host) = Self.split(text)
        try configuration.hosts.allow(host, isPrivate: isPrivate, realm: realm)
      }
    }
    for text in scriptEnvironment {
      let (realm, file) = Self.split(text)
      let variables = try ScriptConfiguration.environment(file: URL(filePath: file))
      guard let realm else {
        guard configuration.environment.isEmpty else {
          throw ValidationError("--script-environment is given twice for all realms.")
        }
        configuration.environment = variables
        continue
      }
      guard configuration.realmEnvironments.updateValue(variables, forKey: realm) == nil else {
        throw ValidationError("--script-environment is given twice for realm \(realm).")
      }
    }
    return configuration
  }

  /// Splits at the first `=` if the text before it can be a realm's name: a file's path may also contain the sign.
  private static func split(_ text: String) -> (realm: String?, value: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(where: { "/.:".contains($0) }) else {
      return (nil, text)
    }
    return (parts[0].lowercased(), String(parts[1]))
  }
}
