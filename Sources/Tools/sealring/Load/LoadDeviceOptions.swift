import ArgumentParser
import Foundation
import LoadTesting

/// The devices' journey, secrets and storage.
struct LoadDeviceOptions: ParsableArguments {
  @Option(help: "The journey. Default: the bundled one of the scenario.")
  var journey: String?

  @Option(help: "Keep the devices' keys in this folder, for later loads.", completion: .directory)
  var devicesFolder: String?

  @Flag(help: "Read the accounts' password from the first line of standard input.")
  var passwordStdin = false

  @Option(help: "The app that proofs name (iss).")
  var appId = "com.sealring.cli"

  @Option(help: "The origin of WebAuthn answers. Default: the server's.")
  var origin: String?

  @Flag(help: "Fetch push messages from the server, which is no part of PingAM's protocol.")
  var poll = false

  @Option(
    help: ArgumentHelp(
      "The id of the application that makes transactions, which is Sealring's own.",
      discussion:
        "Its secret is the next line of standard input: the second with --password-stdin, else the first."))
  var application: String?

  func validate(for scenario: LoadScenario) throws {
    if scenario == .push, !poll {
      throw ValidationError(
        "The scenario push needs --poll: PingAM hands messages to Apple and Google alone, and no simulated device gets them from there."
      )
    }
    if scenario == .transaction, application == nil {
      throw ValidationError(
        "The scenario transaction needs --application ID, and its secret on standard input: `sealring app add` makes one."
      )
    }
    if application != nil, scenario != .transaction {
      throw ValidationError("--application is for the scenario transaction.")
    }
    if let needed = scenario.needs, devicesFolder == nil {
      throw ValidationError(
        "The scenario \(scenario.rawValue) needs --devices-folder, with the devices of `sealring load \(needed.scenario.rawValue)`."
      )
    }
  }

  /// Reads the secrets on standard input, in the documented order.
  func settings(_ scenario: LoadScenario, _ journey: String) async throws -> ScenarioDriver.Settings {
    let input = StandardInput.shared
    var settings = ScenarioDriver.Settings(scenario: scenario, journey: journey)
    if passwordStdin { settings.password = try await input.line(of: "password", for: "--password-stdin") }
    settings.applicationID = appId
    settings.pollsForMessages = poll
    if let application {
      settings.application = TransactionApplication(
        id: application, secret: try await input.line(of: "secret of the application", for: "--application"))
    }
    return settings
  }

  /// Runs `body` with all devices and the indices of those that take part.
  func withFleet<Result: Sendable>(
    _ options: LoadFleetOptions, _ scenario: LoadScenario, _ target: LoadTarget,
    _ body: (LoadFleet, [Int]) async throws -> Result
  ) async throws -> Result {
    do {
      let folder = try devicesFolder.map {
        try DeviceFolder(
          URL(filePath: $0, directoryHint: .isDirectory), server: target.address, realm: target.realm)
      }
      guard let enrolled = scenario.enrols else {
        let fleet = try LoadFleet(usernames: options.usernames, folder: folder)
        return try await body(fleet, try enrolledDevices(fleet, scenario))
      }
      guard let folder else {
        Output.remark("The devices' keys are forgotten at the end; --devices-folder DIR keeps them.")
        let fleet = try LoadFleet(usernames: options.usernames, folder: nil)
        return try await body(fleet, fleet.indices(having: enrolled, false))
      }
      return try await folder.enrolling {
        let fleet = try LoadFleet(usernames: options.usernames, folder: folder)
        defer { folder.synchronize() }
        return try await body(fleet, fleet.indices(having: enrolled, false))
      }
    } catch let error as DeviceFolderError {
      throw CommandFailure.invalid(printable(error.description))
    }
  }

  private func enrolledDevices(_ fleet: LoadFleet, _ scenario: LoadScenario) throws -> [Int] {
    guard let needed = scenario.needs else { return Array(0..<fleet.count) }
    let indices = fleet.indices(having: needed)
    guard indices.count == fleet.count else {
      throw CommandFailure.notFound(
        "Only \(indices.count) of \(fleet.count) devices in \(printable(devicesFolder ?? "")) are enrolled for "
          + "\(scenario.rawValue). Enrol the others with `sealring load \(needed.scenario.rawValue)`, or lower --devices."
      )
    }
    return indices
  }
}
