package import ArgumentParser
package import JourneyNodes
import Assembly

/// The outcomes of nodes that use external services.
package struct SimulationOptions: ParsableArguments, ServerOptionGroup {
  package init() {}

  @Option(
    help: ArgumentHelp(
      """
      For tests: let the nodes of a service that this server cannot ask take an outcome: protect=low (high, medium, exceed, failure, \
      clientError), captcha=true (false), verify=OUTCOME, saml=OUTCOME. Without it they fail (docs/beside-pingam.md). Repeatable.
      """, valueName: "service=outcome"))
  package var simulate: [String] = []

  package func validate() throws { _ = try simulation() }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.simulation = try simulation()
  }

  package func simulation() throws -> ServiceSimulation {
    do throws(ServiceSimulation.Problem) { return try ServiceSimulation(simulate) } catch {
      throw ValidationError("--simulate: \(error).")
    }
  }

  /// The remark of commands that play journeys themselves; empty when nothing is simulated.
  package func remarks() throws -> [String] {
    let simulation = try simulation()
    return simulation.isEmpty ? [] : ["Simulated: \(simulation.summary)."]
  }
}

/// The permission to simulate services, which only a server needs.
struct SimulationPermission: ParsableArguments, ServerOptionGroup {
  @Flag(help: "Allow --simulate on a server that others can reach: nobody is then stopped by these services.")
  var insecureSimulation = false

  func apply(to configuration: inout ServerConfiguration) {
    configuration.allowsInsecureSimulation = insecureSimulation
  }
}
