import Accounts
import ArgumentParser
import Assembly
import BindingFormats
import Bytes
import Foundation
import JourneyEngine
import JourneyFiles
import JourneyStore
import SSHAuthority
import StrictJSON

/// `sealring ssh-ca`: a realm's authority for SSH certificates, on the server's data.
struct SSHAuthorityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ssh-ca", abstract: "A realm's authority for SSH certificates.",
    discussion: """
      Works on the server's own database, also while the server runs. What hosts and clients need is printed by `show` and served under \
      /ssh of the realm (docs/ssh-certificates.md).
      """,
    subcommands: [
      SSHAuthorityShow.self, SSHAuthorityInit.self, SSHAuthoritySet.self, SSHAuthorityRotate.self,
      SSHAuthorityRetire.self, SSHAuthoritySignHost.self, SSHAuthorityRevoke.self, SSHAuthorityRevoked.self,
    ], defaultSubcommand: SSHAuthorityShow.self)
}

/// The authority that a command works with.
struct SSHAuthorityPlace: ParsableArguments {
  @OptionGroup var data: Audit.DataOptions

  @Option(help: "The realm.")
  var realm = CurrentSettings.text("realm")

  /// The realm's name in stores.
  var name: String { RealmPath(realm).name }

  /// Runs `body` with the authorities of the database.
  ///
  /// - Throws: `CommandFailure`, also for refusals of the authority.
  func use<Result>(_ body: (SSHAuthority) async throws -> Result) async throws -> Result {
    try await useStore { authority, _ in try await body(authority) }
  }

  /// Runs `body` with the authorities and the database.
  func useStore<Result>(_ body: (SSHAuthority, any ServerStore) async throws -> Result) async throws -> Result
  {
    try await data.withStore { store, local in
      let authority = SSHAuthority(
        accounts: local.accounts(store), events: local.events, randomBytes: SystemRandom.bytes)
      do { return try await body(authority, store) } catch let refusal as SSHRefusal {
        throw failure(refusal)
      } catch let refusal as AccountRefusal {
        throw failure(refusal)
      }
    }
  }

  /// Refuses an unknown realm: a mistyped name would create an authority that nobody reaches.
  ///
  /// Known realms are a server's standard realms, those of the database, and those that have accounts.
  func requireRealm(in store: any ServerStore) async throws {
    let known = try await ServerConfiguration.standardRealms + store.realms().names
    if known.contains(where: { RealmKey($0) == RealmKey(name) }) { return }
    guard try await store.users(realm: name, after: nil, limit: 1).isEmpty else { return }
    throw CommandFailure.notFound(
      "There is no realm \(printable(name)). Check --realm and --data, or make it first: sealring realm create. Realms: \(printable(known.joined(separator: ", ")))."
    )
  }

  /// Refuses a journey that the realm does not have: no session would ever come from it. Without a folder of journeys in the settings only
  /// the bundled ones are known, and an unknown one is a warning.
  func requireJourney(of rules: SSHAuthorityRules) throws {
    guard let journey = rules.journey, journey != SSHAuthorityRules.anyJourney else { return }
    let folder = CurrentSettings.givenText("serve.journeys")
    let own = try folder.map {
      try JourneyFileCheck.examine(JourneyFiles.files(inFolder: $0, realm: realm), realm: name).files
    }
    let replaced = own?.flatMap(\.journeys) ?? []
    let known =
      (own?.flatMap(\.loaded) ?? []) + JourneyFileCheck.bundledNames.filter { !replaced.contains($0) }
    guard !known.contains(journey) else { return }
    guard folder == nil else {
      throw CommandFailure.notFound(
        "Realm \(printable(name)) has no journey \(printable(journey)). Check --journey, and serve.journeys of the settings. Journeys: \(printable(known.sorted().joined(separator: ", ")))."
      )
    }
    Output.remark(
      "Warning: there is no bundled journey \(printable(journey)), and the settings name no folder with others (serve.journeys). Unless the server has it, nobody gets a certificate."
    )
  }

  /// Warns about attributes that give no principals. The server's schema may differ from this one, so they are not refused.
  func warn(of settings: SSHAuthoritySettings) {
    let file = CurrentSettings.givenText("serve.identity-schema")
    let schema: ManagedSchema
    do { schema = try file.map { try IdentitySettings(file: URL(filePath: $0)).schema } ?? .standard } catch {
      return Output.remark("Whether accounts can change the principals themselves was not checked: \(error)")
    }
    let names = SSHPrincipals.changeable(settings.principals, schema)
    guard !names.isEmpty else { return }
    let source = file.map { printable($0) } ?? "the standard schema"
    Output.remark(
      "Warning: accounts can change \(printable(names.joined(separator: ", "))) themselves by \(source), so nobody gets a certificate for its values. Take an attribute that administrators set (docs/identities.md)."
    )
  }

  private func failure(_ refusal: SSHRefusal) -> CommandFailure {
    switch refusal.kind {
    case .notFound where refusal == .noAuthority:
      .notFound(
        "Realm \(printable(name)) has no SSH authority. `sealring ssh-ca init` makes one; check --realm and --data."
      )
    case .notFound: .notFound(refusal.description)
    case .conflict where refusal == .authorityExists:
      .conflict("Realm \(printable(name)) has an SSH authority. Change its rules: sealring ssh-ca set")
    case .conflict: .conflict(refusal.description)
    case .forbidden: .refused(refusal.description)
    case .invalid: .invalid(refusal.description)
    }
  }

  private func failure(_ refusal: AccountRefusal) -> CommandFailure {
    switch refusal {
    case .noSuchUser:
      .notFound("Realm \(printable(name)) has no such account. Check --user, --realm and --data.")
    case .invalid(let sentence): .invalid(sentence)
    default: .refused(sentence(refusal.description))
    }
  }
}

/// The rules of an authority, as options. Rules without an option stay.
struct SSHAuthorityRules: ParsableArguments {
  /// The value of `--journey` for sessions of all journeys.
  static let anyJourney = "any"

  @Option(help: "Only sessions of this journey get certificates; 'any' for all.")
  var journey: String?

  @Option(
    help: "The lowest authentication level of a session. 1 in a new authority.")
  var level: Int?

  @Option(help: "Whether only keys that hardware attests are certified: yes or no.")
  var attested: Choice?

  @Option(
    help: ArgumentHelp(
      "How long a certificate is good, in seconds: \(SSHAuthoritySettings.shortestLifetime) to \(SSHAuthoritySettings.longestLifetime). 600 in a new authority.",
      valueName: "seconds"))
  var lifetime: Int?

  @Option(
    help: ArgumentHelp(
      "An attribute whose values are the names to sign in to, one that accounts cannot change themselves. Repeatable. userName, the account's name, in a new authority.",
      valueName: "attribute"))
  var principals: [String] = []

  @Option(
    help: ArgumentHelp(
      "What certificates allow: \(SSHAuthoritySettings.knownExtensions.joined(separator: ", ")); 'none' for nothing. Repeatable. permit-pty and permit-port-forwarding in a new authority.",
      valueName: "extension"))
  var allow: [String] = []

  enum Choice: String, ExpressibleByArgument, CaseIterable { case yes, no }

  /// The settings with the given options applied.
  func applied(to settings: SSHAuthoritySettings) throws -> SSHAuthoritySettings {
    var settings = settings
    if let journey { settings.journey = journey == Self.anyJourney ? nil : journey }
    if let level { settings.authLevel = level }
    if let attested { settings.isAttested = attested == .yes }
    if let lifetime { settings.lifetime = lifetime }
    if !principals.isEmpty { settings.principals = principals }
    if !allow.isEmpty { settings.extensions = allow == ["none"] ? [] : allow }
    // The initializer validates the rules.
    do { return try SSHAuthoritySettings(settings.json) } catch {
      throw ValidationError("These rules are not valid: \(printable(error.description)).")
    }
  }
}
