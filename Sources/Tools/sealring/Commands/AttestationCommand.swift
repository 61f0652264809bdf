import ArgumentParser
import AttestationAuthority
import Foundation
import KeyAttestation
import StrictJSON

struct AttestationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attestation", abstract: "Certify the keys with which TPMs attest others.",
    subcommands: [
      AttestationRequest.self, AttestationInstall.self, AttestationAuthorityCommand.self,
      AttestationIssue.self,
      AttestationRoot.self,
    ])
}

struct AttestationAuthorityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authority", abstract: "Make an authority.", subcommands: [Create.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an authority: a root key and its certificate in a new folder.")

    @Option(help: "The folder, which must be new or empty.")
    var dir: String

    @Option(help: "The common name in the root certificate.")
    var name = "Sealring Attestation Authority"

    @OptionGroup var result: ResultOptions

    func run() async throws {
      _ = try AttestationAuthority.create(directory: URL(filePath: dir), name: name)
      result.done(
        "Made the authority \(printable(name)) in \(dir). Keep root-key.pem there secret, and give servers root.pem: `sealring "
          + "serve --tpm-roots \(dir)/root.pem`.",
        ["name": .string(name), "root": .string("\(dir)/root.pem"), "key": .string("\(dir)/root-key.pem")])
    }
  }
}

/// The authority that a command works with.
struct AuthorityOptions: ParsableArguments {
  @Option(help: "The authority's folder.", completion: .directory)
  var authority: String

  func open() throws -> AttestationAuthority {
    guard FileManager.default.fileExists(atPath: authority) else {
      throw CommandFailure.notFound(
        "There is no folder \(printable(authority)). `sealring attestation authority create` makes one.")
    }
    return try .open(directory: URL(filePath: authority))
  }
}

struct AttestationRoot: AsyncParsableCommand, JSONFlag {
  static let configuration = CommandConfiguration(
    commandName: "root", abstract: "Print an authority's root certificate in PEM.")

  @OptionGroup var authority: AuthorityOptions

  @Flag(help: "Print the certificate as the member 'pem' of a JSON object.")
  var json = false

  func run() async throws {
    let pem = try authority.open().rootPEM.trimmingCharacters(in: .newlines)
    result(pem, ["pem": .string(pem)])
  }
}

struct AttestationIssue: AsyncParsableCommand, JSONFlag {
  static let configuration = CommandConfiguration(
    commandName: "issue",
    abstract: "Certify the attestation key of a request.",
    discussion: """
      The certificate is encrypted so that only the TPM that holds the request's two keys can decrypt it. Note the serial number: \
      it is what revokes the certificate (`sealring serve --revoked-certificates`).
      """)

  @OptionGroup var authority: AuthorityOptions

  @Option(
    help: ArgumentHelp(
      "CA certificate(s) in PEM for endorsement keys, from the TPMs' makers: a file, or a folder of *.pem and *.crt. Repeatable.",
      valueName: "path"), completion: .file())
  var ekRoots: [String] = []

  @Option(
    help: ArgumentHelp(
      "File with the serial numbers of makers' revoked certificates, one per line in hexadecimal.",
      valueName: "file"), completion: .file())
  var revokedCertificates: String?

  @Flag(
    help:
      "Accept any endorsement key, even one that is not a TPM's: for tests, or for a device in front of you."
  )
  var acceptAnyEndorsementKey = false

  @Flag(help: "Replace the answer's file if it exists.")
  var force = false

  @Argument(help: "The device's request.", completion: .file(extensions: ["json"]))
  var request: String

  @Argument(help: "Where to write the answer for the device.", completion: .file(extensions: ["json"]))
  var credential: String

  @Flag(help: "Print what was certified as JSON.")
  var json = false

  func validate() throws {
    guard ekRoots.isEmpty == acceptAnyEndorsementKey else {
      throw ValidationError("Give either --ek-roots or --accept-any-endorsement-key.")
    }
    guard !acceptAnyEndorsementKey || revokedCertificates == nil else {
      throw ValidationError("--revoked-certificates has no effect with --accept-any-endorsement-key.")
    }
  }

  func run() async throws {
    let trust: AttestationAuthority.EndorsementTrust =
      acceptAnyEndorsementKey
      ? .anyKey
      : .certified(
        roots: try TrustFiles.anchors(ekRoots), revoked: try TrustFiles.revoked(revokedCertificates))
    // The path is checked before the authority signs anything.
    let output = try AtomicFile(path: credential, replaces: force)
    let issuer = try authority.open()
    let bytes = try GivenFile.bytes(request, limit: AttestationKeyRequest.maximumBytes)
    let issued: AttestationAuthority.Issued
    do {
      issued = try await issuer.issue(for: AttestationKeyRequest(parsing: bytes), trusting: trust)
    } catch let failure as AttestationEnrolmentFailure {
      throw CommandFailure.invalid("\(request) is refused: \(printable(failure.description)).")
    }
    try output.finish(Array(issued.credential.json.serialized) + [0x0A])
    report(issued)
  }

  private func report(_ issued: AttestationAuthority.Issued) {
    let end = issued.notAfter.formatted(.iso8601)
    result(
      """
      serial number    \(issued.serialNumber)
      attestation key  \(issued.attestationKeyName)
      endorsed by      \(issued.endorsementRoot.map { printable($0.subject) } ?? "nobody: any key was accepted")
      valid until      \(end)
      """,
      [
        "serialNumber": .string(issued.serialNumber), "attestationKey": .string(issued.attestationKeyName),
        "notAfter": .string(end),
        "endorsementRoot": issued.endorsementRoot.map {
          ["subject": .string($0.subject), "sha256": .string($0.fingerprint)]
        } ?? .null,
      ])
  }
}
