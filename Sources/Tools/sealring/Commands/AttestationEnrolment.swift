import ArgumentParser
import Crypto
import DeviceKeysTPM
import KeyAttestation
import StrictJSON

struct AttestationRequest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Write a request to have this device's TPM certified, for `sealring attestation issue`.")

  @OptionGroup var chip: ChipOptions

  @Argument(
    help: "Where to write the request. It contains no secret.", completion: .file(extensions: ["json"]))
  var file: String

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @OptionGroup var result: ResultOptions

  func run() async throws {
    let identity = try await chip.chip().attestationIdentity()
    let request = AttestationKeyRequest(
      endorsementCertificate: identity.endorsementCertificate, endorsementKey: identity.endorsementKey,
      attestationKey: identity.attestationKey)
    try AtomicFile.write(Array(request.json.serialized) + [0x0A], to: file, replaces: force)
    let lack =
      identity.endorsementCertificate == nil
      ? " The TPM has no certificate for its endorsement key: it can be certified only with --accept-any-endorsement-key."
      : ""
    result.done(
      "Wrote the request to \(printable(file)). Answer it with `sealring attestation issue`.\(lack)",
      ["file": .string(file), "hasEndorsementCertificate": .bool(identity.endorsementCertificate != nil)])
  }
}

struct AttestationInstall: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Install an authority's answer: keys in this device's TPM can then be attested.")

  @OptionGroup var chip: ChipOptions

  @Argument(
    help: "What `sealring attestation issue` wrote.", completion: .file(extensions: ["json"]))
  var file: String

  @OptionGroup var result: ResultOptions

  func run() async throws {
    let bytes = try GivenFile.bytes(file, limit: AttestationKeyCredential.maximumBytes)
    do {
      let credential = try AttestationKeyCredential(parsing: bytes)
      let store = try chip.chip()
      let secret = try await store.activateCredential(
        credentialBlob: credential.credentialBlob, encryptedSecret: credential.encryptedSecret)
      let identity = try await store.attestationIdentity()
      let chain = try credential.certificates(
        secret: SymmetricKey(data: secret), attestationKey: identity.attestationKey)
      try await store.installAttestationCertificates(chain)
      result.done(
        "Installed \(chain.count) certificates. Keys that are bound from now on can be attested.",
        ["certificates": .integer(Int64(chain.count))])
    } catch let failure as AttestationEnrolmentFailure {
      throw CommandFailure.invalid(
        "\(file) is refused: \(printable(failure.description)). Make a new request.")
    }
  }
}
