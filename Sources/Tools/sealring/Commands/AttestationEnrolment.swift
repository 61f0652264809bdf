import ArgumentParser
import Crypto
import DeviceKeys
import DeviceKeysTPM
import Foundation
import KeyAttestation
import StrictJSON

/// `sealring attestation request`: the device's first step.
struct AttestationRequest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Write a request to have this device's TPM certified, for `sealring attestation issue`.")

  @OptionGroup var chip: ChipOptions

  @Argument(
    help: "Where to write the request. It contains no secret.", completion: .file(extensions: ["json"]))
  var file: String

  func run() async throws {
    let identity = try await reporting { try await chip.chip().attestationIdentity() }
    let request = AttestationKeyRequest(
      endorsementCertificate: identity.endorsementCertificate, endorsementKey: identity.endorsementKey,
      attestationKey: identity.attestationKey)
    do {
      try Data(request.json.serialized + [0x0A]).write(to: URL(filePath: file), options: .atomic)
    } catch {
      throw CommandFailure(
        "\(file) cannot be written: \(sentence(error.localizedDescription)) Choose another place.")
    }
    let lack =
      identity.endorsementCertificate == nil
      ? " The TPM has no certificate for its endorsement key: only --accept-any-endorsement-key will do." : ""
    Output.remark("Wrote the request to \(file). Have it answered with `sealring attestation issue`.\(lack)")
  }
}

/// `sealring attestation install`: the device's second step.
struct AttestationInstall: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Take an authority's answer: keys in this device's TPM can be attested from then on.")

  @OptionGroup var chip: ChipOptions

  @Argument(
    help: "What `sealring attestation issue` wrote.", completion: .file(extensions: ["json"]))
  var file: String

  func run() async throws {
    let bytes = try TrustFiles.bytes(file, limit: AttestationKeyCredential.maximumBytes)
    do {
      let credential = try AttestationKeyCredential(parsing: bytes)
      let store = try chip.chip()
      let chain = try await reporting {
        let secret = try await store.activateCredential(
          credentialBlob: credential.credentialBlob, encryptedSecret: credential.encryptedSecret)
        let identity = try await store.attestationIdentity()
        let chain = try credential.certificates(
          secret: SymmetricKey(data: secret), attestationKey: identity.attestationKey)
        try await store.installAttestationCertificates(chain)
        return chain
      }
      Output.remark(
        "Installed \(chain.count) certificates. Keys that are bound from now on can be attested.")
    } catch let failure as AttestationEnrolmentFailure {
      throw CommandFailure("\(file) is refused: \(printable(failure.description)). Make a new request.")
    }
  }
}

/// The key store's failure as one sentence.
private func reporting<Result>(_ body: () async throws -> Result) async throws -> Result {
  do { return try await body() } catch let error as DeviceKeyError {
    throw CommandFailure(sentence(error.localizedDescription))
  }
}
