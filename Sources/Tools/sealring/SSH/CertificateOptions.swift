import Agent
import ArgumentParser
import Foundation
import SSHFormats
import StrictJSON
import TerminalText

/// The key to certify, the server that certifies it, and the account.
struct CertificateOptions: ParsableArguments {
  @OptionGroup var server: ServerOptions
  @OptionGroup var device: DeviceOptions

  @Option(help: "The key, as `sealring ssh key list` names it. Default: the only one.")
  var key: String?

  @Option(
    help:
      "An account on the hosts that the certificate is for; repeatable. Default: all that the server gives you."
  )
  var principal: [String] = []

  @Option(help: "Your user name at the server.")
  var username: String?

  /// The user at the server; `nil` when none is named.
  var account: String? { username ?? CurrentSettings.user }

  func validate() throws {
    guard principal.allSatisfy({ !$0.isEmpty }) else { throw ValidationError("--principal is empty.") }
  }

  /// The kept certificate, or a new one.
  ///
  /// - Parameter person: The person who can be asked; `nil` when nobody can.
  func certificate(asking person: Certification.Person?) async throws -> (SSHCertificate, SSHKey) {
    let key = try await chosenKey()
    return (try await Certification(options: self, key: key, person: person).certificate(), key)
  }

  /// The kept or a new certificate, without asking anybody.
  func renewed(for host: SSHHost?) async throws -> (SSHCertificate, SSHKey) {
    do { return try await certificate(asking: nil) } catch let failure as CommandFailure {
      guard let host else { throw failure }
      throw CommandFailure(
        failure.description.replacing(Certification.advice, with: "\(Certification.advice) \(host.text)"),
        code: failure.code)
    }
  }

  private func chosenKey() async throws -> SSHKey {
    let (keys, faults) = try await device.chip.sshKeys().readable()
    if let key {
      guard let found = keys.first(where: { $0.name == key }) else {
        try Output.end(with: faults)
        throw CommandFailure.missing("key \(printable(key))", command: "sealring ssh key list")
      }
      return found
    }
    guard let only = keys.first, keys.count == 1 else {
      if keys.isEmpty { try Output.end(with: faults) }
      throw CommandFailure.notFound(
        keys.isEmpty
          ? "This device has no key for SSH. Make one with `sealring ssh key add`."
          : "This device has several keys for SSH. Name one with --key: \(keys.map(\.name).joined(separator: ", "))."
      )
    }
    return only
  }
}

extension SSHCertificate {
  /// The end of the validity; for unlimited certificates the last day of the year 9999.
  var end: Date {
    Date(timeIntervalSince1970: TimeInterval(min(contents.validity.upperBound, 253_402_300_799)))
  }

  /// The certificate in a command's JSON result.
  func record(of key: SSHKey) -> JSONObject {
    [
      "key": .string(key.name),
      "file": .string(SSHCertificates.ofThisDevice.file(of: key).path(percentEncoded: false)),
      "identifier": .string(contents.identifier), "serial": .string(String(contents.serial)),
      "principals": .array(contents.principals.map { .string($0) }),
      "expiresAt": .string(end.formatted(.iso8601)), "authority": .string(authority.fingerprint),
    ]
  }

  func sentence(of key: SSHKey) -> String {
    "Key \(key.name) is certified for \(Certification.list(contents.principals)) until \(Times.text(end))."
  }
}
