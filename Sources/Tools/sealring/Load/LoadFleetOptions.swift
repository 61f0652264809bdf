import ArgumentParser
import LoadTesting

/// The accounts of the devices.
struct LoadFleetOptions: ParsableArguments {
  @Option(help: "How many devices, each with an account of its own.")
  var devices = 100

  @Option(help: "The accounts' names; {n} is the number of the device.")
  var users = "load-{n}"

  @Option(help: "The number of the first device, for several processes with devices of their own.")
  var first = 1

  private static let place = "{n}"

  func validate() throws {
    try (1...LoadPlan.mostDevices).require(devices, for: "--devices")
    try (0...1_000_000_000).require(first, for: "--first")
    guard users.contains(Self.place), users.utf8.count <= 200 else {
      throw ValidationError("--users needs {n}, the device's number, such as load-{n}.")
    }
  }

  var usernames: [String] { (first..<first + devices).map { users.replacing(Self.place, with: "\($0)") } }

  /// The first and last user name.
  var range: String {
    let names = [first, first + devices - 1].map { users.replacing(Self.place, with: "\($0)") }
    return devices == 1 ? names[0] : "\(names[0]) to \(names[1])"
  }
}
