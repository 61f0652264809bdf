import CommonFixtures
import BindingFormats
import Foundation
import JourneyStore
import SoftwareTPM
import StrictJSON
import Testing

/// A TPM that the operator's own authority certified, at a WebAuthn registration that asks who made the key.
@Suite(.serialized) struct AttestedPasskeyTests {
  private static let password = "Correct horse battery 1"
  private static let journey = "WebAuthnAttested"

  /// The bundled journey, asking for an attestation, and for certificates that are known not to be revoked.
  private static func write(to folder: URL) throws {
    let bundled = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../journeys/WebAuthnRegister.journey.json").standardizedFileURL
    var text = try String(contentsOf: bundled, encoding: .utf8)
    for (old, new) in [
      (#""attestationPreference": "NONE""#, #""attestationPreference": "DIRECT""#),
      (#""enforceRevocationCheck": false"#, #""enforceRevocationCheck": true"#),
      (#""_id": "WebAuthnRegister""#, #""_id": "\#(journey)""#),
    ] {
      try #require(text.contains(old))
      text = text.replacingOccurrences(of: old, with: new)
    }
    let realm = folder.appending(path: "alpha")
    try FileManager.default.createDirectory(at: realm, withIntermediateDirectories: true)
    try text.write(
      to: realm.appending(path: "\(journey).journey.json"), atomically: true, encoding: .utf8)
  }

  private struct Outcome {
    let registered: CommandLineTool.Result
    let signedIn: CommandLineTool.Result
    let server: CommandLineTool.Result
    let records: [WebAuthnDeviceRecord]
  }

  /// Registers a passkey of the device's TPM at a new server, and signs in with it if that succeeds.
  ///
  /// - Parameter revoked: serial numbers.
  private func register(
    _ device: CommandLineTool, _ chip: SoftwareTPM, in folder: URL, roots: String, revoked: [String] = []
  ) async throws -> Outcome {
    func file(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
    let data = folder.appending(path: "server-\(UUID().uuidString)")
    try revoked.map { $0 + "\n" }.joined().write(toFile: file("revoked"), atomically: true, encoding: .utf8)
    let server = try await ServerProcess.start(
      data: data,
      arguments: [
        "--journeys", file("journeys"), "--webauthn-roots", roots, "--revoked-certificates", file("revoked"),
      ])
    let administrator = CommandLineTool(
      home: folder, environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
    let added = try await administrator.run(
      ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n")
    #expect(added.status == 0, "\(added.errors)")
    let common = [
      "--server", server.address, "--username", "mira", "--tcti", chip.tcti, "--no-user-verification",
      "--json",
    ]
    let registered = try await device.run(
      [
        "passkey", "register", "--journey", Self.journey, "--store", "tpm", "--yes", "--password-stdin",
      ] + common, input: Self.password + "\n")
    let signedIn = try await device.run(
      ["passkey", "authenticate", "--journey", TouchSignIn.name, "--yes"] + common)
    let end = await server.stop()
    #expect(end.status == 0)
    return Outcome(
      registered: registered, signedIn: signedIn, server: end,
      records: try await SQLiteStore(directory: data).webAuthnDevices.all(
        of: UniversalID(username: "mira", realm: "alpha")))
  }

  // Ten seconds: two authorities, a TPM, and a server for each of the outcomes.
  @Test(.timeLimit(.minutes(3)))
  func
    `the server records that the TPM attested the key; another root, or a revoked certificate, and it is refused`()
    async throws
  {
    try await withTemporaryFolder { folder in
      func file(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
      try Self.write(to: try TouchSignIn.folder(in: folder))
      let operatorTool = CommandLineTool(home: folder.appending(path: "operator"))
      for authority in ["authority", "other"] {
        let made = try await operatorTool.run([
          "attestation", "authority", "create", "--dir", file(authority),
        ])
        #expect(made.status == 0, "\(made.errors)")
      }
      try await SoftwareTPM.run { chip in
        let device = CommandLineTool(home: folder.appending(path: "device"))
        let request = try await device.run(
          ["attestation", "request", "--tcti", chip.tcti, file("request.json")])
        #expect(request.status == 0, "\(request.errors)")
        let issued = try await operatorTool.run(
          ["attestation", "issue", "--authority", file("authority")]
            + chip.endorsementAuthorities.flatMap { ["--ek-roots", $0.path(percentEncoded: false)] }
            + [file("request.json"), file("credential.json"), "--json"])
        #expect(issued.status == 0, "\(issued.errors)")
        let serialNumber = try #require(try issued.json["serialNumber"]?.stringValue)
        let installed = try await device.run(
          ["attestation", "install", "--tcti", chip.tcti, file("credential.json")])
        #expect(installed.status == 0, "\(installed.errors)")

        let foreign = try await register(device, chip, in: folder, roots: file("other/root.pem"))
        #expect(foreign.registered.status == 1 && foreign.signedIn.status == 1)
        #expect(foreign.records.isEmpty)
        #expect(
          foreign.server.errors.contains("attestationNotTrusted: chainUntrusted (unknownIssuer)"),
          "\(foreign.server.errors)")
        // The log is the operator's; the client learns that it failed.
        #expect(!(foreign.registered.errors + foreign.registered.output).contains("chainUntrusted"))

        let revoked = try await register(
          device, chip, in: folder, roots: file("authority/root.pem"), revoked: [serialNumber])
        #expect(revoked.registered.status == 1 && revoked.signedIn.status == 1)
        #expect(revoked.records.isEmpty)
        #expect(revoked.server.errors.contains("is revoked"), "\(revoked.server.errors)")
        let left = try await device.run(["passkey", "list", "--tcti", chip.tcti, "--json"])
        #expect(try left.json.arrayValue?.isEmpty == true, "what a server refused is not kept")

        let attested = try await register(device, chip, in: folder, roots: file("authority/root.pem"))
        #expect(attested.registered.status == 0, "\(attested.registered.errors)\(attested.server.errors)")
        #expect(try attested.registered.json["store"] == "tpm")
        #expect(attested.records.map(\.attestationFormat) == ["tpm"])
        #expect(attested.records.map(\.attestationType) == ["CA"])
        #expect(attested.signedIn.status == 0, "\(attested.signedIn.errors)")
      }
    }
  }
}
