import Accounts
import ArgumentParser
import Foundation
import JourneyStore
import SSHAuthority
import SSHFormats
import StrictJSON

struct SSHAuthoritySignHost: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-host", abstract: "Certify a host's key.",
    discussion: """
      Takes the host's public key, such as /etc/ssh/ssh_host_ed25519_key.pub, and writes the certificate beside it as ssh-keygen does: \
      HostCertificate in sshd_config names it.
      """)

  @Argument(help: "The file of the host's public key.", completion: .file(extensions: ["pub"]))
  var key: String

  @Option(
    help: ArgumentHelp("A name or address of the host, as clients write it. Repeatable.", valueName: "host"))
  var name: [String]

  @Option(
    help:
      "How many days it is good: \(SSHAuthority.hostDays.lowerBound) to \(SSHAuthority.hostDays.upperBound).")
  var days = SSHAuthority.standardHostDays

  @Option(
    help: "Where the certificate is written. Default: the key's file with -cert.pub at the end.",
    completion: .file())
  var output: String?

  @Flag(help: "Replace the certificate's file if it exists.")
  var force = false

  @OptionGroup var place: SSHAuthorityPlace
  @OptionGroup var result: ResultOptions

  func run() async throws {
    let path = output ?? (key.hasSuffix(".pub") ? String(key.dropLast(4)) : key) + "-cert.pub"
    // The path is checked before anything is signed.
    let file = try AtomicFile(path: path, replaces: force)
    let line = String(decoding: try GivenFile.bytes(key, limit: 16 << 10), as: UTF8.self)
      .trimmingCharacters(in: .newlines)
    let issued = try await place.use {
      try await $0.certifyHost(line, names: name, days: days, in: place.name, by: .operator)
    }
    try file.finish(Array((issued.line + "\n").utf8))
    let end = issued.expiresAt.formatted(.iso8601)
    result.done(
      "Certified \(printable(issued.principals.joined(separator: ", "))) until \(end). In sshd_config: HostCertificate \(printable(path))",
      [
        "serial": .string(String(issued.serial)), "certificate": .string(issued.line),
        "expiresAt": .string(end), "file": .string(path),
      ])
  }
}

struct SSHAuthorityRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Take certificates back: one, all of an account, or a key for good.",
    discussion: """
      Hosts learn what was taken back from users when they fetch the file of RevokedKeys again, clients what was taken back from hosts when \
      they fetch that of RevokedHostKeys again. It is the same list for both.
      """)

  @Option(help: "The certificate's serial number, as events and sshd's log have it.")
  var serial: UInt64?

  @Option(help: "The account whose certificates are taken back.")
  var user: String?

  @Option(
    help: ArgumentHelp("The file of a public key, which gets no certificate any more.", valueName: "file"),
    completion: .file(extensions: ["pub"]))
  var key: String?

  @OptionGroup var place: SSHAuthorityPlace
  @OptionGroup var result: ResultOptions

  func validate() throws {
    guard [serial != nil, user != nil, key != nil].filter({ $0 }).count == 1 else {
      throw ValidationError("Give one of --serial, --user and --key.")
    }
  }

  private var target: SSHRevocationTarget {
    get throws {
      if let serial { return .serial(serial) }
      if let user { return .account(username: user) }
      let bytes = try GivenFile.bytes(key ?? "", limit: 16 << 10)
      return .key(line: String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines))
    }
  }

  func run() async throws {
    let target = try target
    let count = try await place.use { try await $0.revoke(target, in: place.name, by: .operator) }
    // A key can be a user's or a host's, now or later.
    let readers =
      switch (count.users > 0 || count.hosts == 0, count.hosts > 0 || key != nil) {
      case (true, true): "Hosts and clients"
      case (false, _): "Clients"
      default: "Hosts"
      }
    result.done(
      "Took \(count.total == 1 ? "1 certificate" : "\(count.total) certificates") back. \(readers) learn it when they fetch the revoked keys again.",
      [
        "revoked": .integer(Int64(count.total)), "users": .integer(Int64(count.users)),
        "hosts": .integer(Int64(count.hosts)),
      ])
  }
}

struct SSHAuthorityRevoked: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoked",
    abstract: "Write what is taken back, for RevokedKeys of sshd and RevokedHostKeys of ssh.")

  @Argument(help: "The file, which is replaced; without one standard output.", completion: .file())
  var file: String?

  @OptionGroup var place: SSHAuthorityPlace

  func run() async throws {
    let list = try await place.use { try await $0.revoked(place.name) }
    try AtomicFile.write(list.bytes, to: file, replaces: true)
  }
}
