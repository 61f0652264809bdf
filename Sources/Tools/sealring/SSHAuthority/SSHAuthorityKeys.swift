import Accounts
import ArgumentParser
import Foundation
import JourneyStore
import SSHAuthority
import StrictJSON

struct SSHAuthorityInit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a realm an authority for SSH.",
    discussion: "Makes a key for users' certificates and one for hosts', sealed under the server key.")

  @OptionGroup var place: SSHAuthorityPlace
  @OptionGroup var rules: SSHAuthorityRules
  @OptionGroup var result: ResultOptions

  func run() async throws {
    let settings = try rules.applied(to: SSHAuthoritySettings())
    try await place.useStore { authority, store in
      try await place.requireRealm(in: store)
      try place.requireJourney(of: rules)
      try await authority.create(settings, of: place.name, by: .operator)
      place.warn(of: settings)
      try await SSHAuthorityShow.show(authority, place.name, result)
    }
  }
}

struct SSHAuthoritySet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change the rules of an authority. What is not given stays.")

  @OptionGroup var place: SSHAuthorityPlace
  @OptionGroup var rules: SSHAuthorityRules
  @OptionGroup var result: ResultOptions

  func run() async throws {
    try await place.use { authority in
      let settings = try await authority.change(place.name, by: .operator) {
        $0 = try rules.applied(to: $0)
        try place.requireJourney(of: rules)
      }
      result.done(
        "Changed the rules of realm \(printable(place.name)). They hold for certificates from now on.",
        settings.json)
      place.warn(of: settings)
    }
  }
}

struct SSHAuthorityShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show rules and keys, and what hosts and clients need.")

  @OptionGroup var place: SSHAuthorityPlace
  @OptionGroup var result: ResultOptions

  func run() async throws {
    try await place.use { try await Self.show($0, place.name, result) }
  }

  static func show(_ authority: SSHAuthority, _ realm: String, _ result: ResultOptions) async throws {
    let published = try await authority.published(realm)
    guard !result.json else { return Output.json(.object(json(published))) }
    let settings = published.settings
    var lines = [
      "Realm        \(printable(realm))",
      "Sessions     of level \(settings.authLevel) or more, of "
        + (settings.journey.map { "journey \(printable($0))" } ?? "any journey"),
      "Keys         \(settings.isAttested ? "attested by hardware only" : "of any device")",
      "Lifetime     \(settings.lifetime) seconds",
      "Principals   \(settings.principals.map { printable($0) }.joined(separator: ", "))",
      "Extensions   \(settings.extensions.isEmpty ? "none" : settings.extensions.joined(separator: ", "))",
      "",
    ]
    for (name, keys) in [("Users' key", published.userKeys), ("Hosts' key", published.hostKeys)] {
      for (index, key) in keys.enumerated() {
        lines.append(
          "\(name)   \(key.fingerprint)  \(index == 0 ? "signs" : "accepted until it is retired")")
      }
    }
    lines += ["", "/etc/ssh/sealring_users.pub, on each host:"] + published.userKeys.map(\.line)
    lines += [
      "", "/etc/ssh/sshd_config, on each host:", "TrustedUserCAKeys /etc/ssh/sealring_users.pub",
      "RevokedKeys /etc/ssh/sealring_revoked", "",
      "/etc/ssh/ssh_config or ~/.ssh/config, on each client:", "RevokedHostKeys /etc/ssh/sealring_revoked",
      "",
      "known_hosts, on each client, for the hosts that it is for:",
    ]
    lines += published.hostKeys.map { "@cert-authority *.example.com \($0.line)" }
    for line in lines { Output.line(line) }
  }

  private static func json(_ published: SSHAuthority.Published) -> JSONObject {
    func keys(_ keys: [SSHAuthority.Key]) -> JSONValue {
      .array(
        keys.map {
          [
            "fingerprint": .string($0.fingerprint), "line": .string($0.line),
            "createdAt": .string($0.createdAt.formatted(.iso8601)),
          ]
        })
    }
    var json = published.settings.json
    json["userAuthority"] = keys(published.userKeys)
    json["hostAuthority"] = keys(published.hostKeys)
    return json
  }
}

struct SSHAuthorityRotate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Let a new key sign. The one before is accepted until it is retired.",
    discussion: """
      Hosts must have the new line of TrustedUserCAKeys, or clients that of @cert-authority, before certificates of the new key are of use: \
      fetch the files, then retire the old key when what it has signed has ended.
      """)

  /// The kind of certificates that the key signs.
  enum Purpose: String, ExpressibleByArgument, CaseIterable { case users, hosts }

  @Argument(help: "Whose certificates it signs.")
  var purpose: Purpose

  @OptionGroup var place: SSHAuthorityPlace
  @OptionGroup var result: ResultOptions

  func run() async throws {
    let new = try await place.use {
      try await $0.rotate(purpose == .users ? SSHKeyPurpose.user : .host, of: place.name, by: .operator)
    }
    result.done(
      "\(new) signs the certificates of \(purpose.rawValue) from now on. `sealring ssh-ca show` prints the lines.",
      ["key": .string(new)])
  }
}

struct SSHAuthorityRetire: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "End a key that does not sign any more, and revoke what it has signed.")

  @Argument(help: "The key's fingerprint, as `sealring ssh-ca show` prints it.")
  var fingerprint: String

  @OptionGroup var place: SSHAuthorityPlace
  @OptionGroup var result: ResultOptions

  func run() async throws {
    try await place.use { try await $0.retire(fingerprint, of: place.name, by: .operator) }
    result.done(
      "Retired \(printable(fingerprint)): it is among the revoked keys, and its private part is gone. Hosts and clients learn it when they fetch these again. Remove its line from TrustedUserCAKeys or known_hosts; `sealring ssh trust --file` does that for the lines that it wrote.",
      ["key": .string(fingerprint)])
  }
}
