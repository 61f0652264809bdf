import ArgumentParser
import Foundation
import JourneyScripts
package import JourneyServer

/// How `sealring serve` runs the scripts of journeys.
package struct ScriptOptions: ParsableArguments {
  package init() {}

  @Option(help: "Maximum number of processes that run scripts (docs/scripts.md).")
  var scriptWorkers = ScriptWorkers.standardCount

  @Option(help: "Milliseconds of processor time that a script may compute.")
  var scriptTime = 200

  @Option(help: "Megabytes of memory that a process running scripts may have.")
  var scriptMemory = 192

  @Option(
    help: ArgumentHelp(
      "Host that scripts and REST nodes may send requests to, such as https://api.example.com; in the public network. Repeatable.",
      valueName: "origin"))
  var scriptHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "The same for a host in this server's own network, or on this machine. Repeatable.",
      valueName: "origin"))
  var scriptPrivateHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "JSON file with the variables that scripts read by systemEnv, such as {\"esv.name\": \"value\"}.",
      valueName: "file"), completion: .file())
  var scriptEnvironment: String?

  package func validate() throws {
    try ScriptWorkers.counts.require(scriptWorkers, for: "--script-workers")
    try (10...10_000).require(scriptTime, for: "--script-time", unit: " of milliseconds")
    try (96...4096).require(scriptMemory, for: "--script-memory", unit: " of megabytes")
  }

  package func configuration() throws -> ScriptConfiguration {
    var configuration = ScriptConfiguration()
    configuration.program = ScriptWorkerProgram.ownPath
    configuration.workers = scriptWorkers
    configuration.limits.time = .milliseconds(scriptTime)
    configuration.limits.memory = scriptMemory << 20
    for host in scriptHost { try configuration.hosts.allow(host, isPrivate: false) }
    for host in scriptPrivateHost { try configuration.hosts.allow(host, isPrivate: true) }
    if let scriptEnvironment {
      configuration.environment = try ScriptConfiguration.environment(file: URL(filePath: scriptEnvironment))
    }
    return configuration
  }
}
