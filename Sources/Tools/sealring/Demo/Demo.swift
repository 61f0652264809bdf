import ArgumentParser
import Assembly
import Foundation
import KeyAttestation
import Logging
import SealringTesting
import UnixSignals

struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show everything at work: a server, a user, a bound device, a signed payment, the verdict.",
    discussion:
      "Real HTTP on a private port, real keys, a real database; all in a temporary folder unless --data is given. With --store tpm "
      + "the key is made in the machine's TPM and attested; without one, swtpm stands in. With --push a device approves sign-ins "
      + "instead."
  )

  /// The place of the device's keys.
  enum Store: String, ExpressibleByArgument, CaseIterable {
    case software, tpm
  }

  @Option(help: "Where the device's keys live: software or tpm.")
  var store = Store.software

  @OptionGroup var chip: ChipOptions

  @Flag(
    help: "Show push instead: a device is enrolled by QR code and approves sign-ins by tap, number and code.")
  var push = false

  @Flag(
    help: """
      Start a server with sample users, devices and an hour of plausible past, print the address of its administration, and run \
      until Ctrl-C. Opens nothing by itself.
      """
  )
  var web = false

  @Option(help: "The server's port; by default a free one.")
  var port = 0

  @Option(help: "Keep the server's data in DIR/server and the device's in DIR/device.")
  var data: String?

  func validate() throws {
    guard (0...65535).contains(port) else { throw ValidationError("--port is a number up to 65535.") }
    if web, push || store == .tpm {
      throw ValidationError(
        "--web cannot be combined with --push and --store tpm: it shows a server, and no device.")
    }
    if push, store == .tpm {
      throw ValidationError("--push cannot be combined with --store tpm: push needs no key.")
    }
  }

  func run() async throws {
    let folder =
      data.map { URL(filePath: $0) }
      ?? FileManager.default.temporaryDirectory.appending(path: "sealring-demo-\(UUID().uuidString)")
    defer { if data == nil { try? FileManager.default.removeItem(at: folder) } }

    if web { return try await DemoWeb(folder: folder, port: port).run() }
    let interruption = Task { [isTemporary = data == nil] in
      for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
        if isTemporary { try? FileManager.default.removeItem(at: folder) }
        Foundation.exit(130)
      }
    }
    defer { interruption.cancel() }
    let keys = folder.appending(path: "device/keys")
    let elapsed = try await ContinuousClock().measure {
      switch store {
      case .software where push:
        try await play(in: folder, roots: TrustAnchors()) {
          try await DemoPushStory(options: $0, folder: folder, server: $1).tell()
        }
      case .software:
        try await play(in: folder, with: .software(in: keys))
      case .tpm:
        let authority = folder.appending(path: "authority")
        try await DemoDevice.tpm(in: keys, authority: authority, tcti: chip.tcti) {
          try await play(in: folder, with: $0)
        }
      }
    }
    let time = elapsed.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1)))
    Output.line()
    Output.line(
      data == nil
        ? "Done in \(time); the temporary folder is removed."
        : "Done in \(time); the data are in \(folder.path(percentEncoded: false)).")
    Output.line(
      push
        ? "Next: `sealring serve`, then `sealring user add`, `sealring push qr`,\n`sealring push enroll`, `sealring push listen`."
        : "Next: `sealring serve`, then `sealring user add`, `sealring bind`,\n`sealring sign`.")
  }

  private func play(in folder: URL, with device: DemoDevice) async throws {
    try await play(in: folder, roots: device.roots) {
      try await DemoStory(options: $0, folder: folder, server: $1, device: device).tell()
    }
  }

  /// Runs a server while `story` runs; the story gets the options to reach it.
  private func play(
    in folder: URL, roots: TrustAnchors, _ story: (ServerOptions, SealringServer) async throws -> Void
  ) async throws {
    var configuration = ServerConfiguration.inThisProcess
    configuration.attestation = AttestationVerifier.Configuration(tpmRoots: roots)
    configuration.port = port
    configuration.dataDirectory = folder.appending(path: "server")
    try await LocalServer.run(configuration) { server, port in
      let options = try ServerOptions.parse(["--server", "http://127.0.0.1:\(port)/am"])
      // The story's sessions are ended while the server still runs, even if the story fails.
      try await ending({ await OpenSessions.ofThisCommand.end() }) { try await story(options, server) }
    }
  }
}
