import Accounts
import ArgumentParser
import Foundation
import JourneyNodes
import JourneyStore
import Assembly

/// The requirements for a change of factors, as options of `sealring serve`.
struct FactorChangeOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: ArgumentHelp(
      """
      What a change of devices, recovery codes or password needs: any session (any, as PingAM), a recent sign-in (fresh), or \
      one as strong as the strongest factor of the user (strong). REALM=… for one realm. The bundled journeys that add a device ask for that factor whatever this says. Default: any, on a server that only this machine reaches; others must be given it, for all realms.
      """, valueName: "[REALM=]any|fresh|strong"))
  var factorChanges: [String] = []

  @Option(help: "How long ago that sign-in may be, in seconds.")
  var factorChangesAge = Int(FactorChangePolicy().maximumAge)

  func validate() throws { _ = try policy() }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.factorChanges = try policy()
  }

  func policy() throws -> FactorChangePolicy {
    try (1...86400).require(factorChangesAge, for: "--factor-changes-age", unit: " of seconds")
    var policy = FactorChangePolicy(maximumAge: TimeInterval(factorChangesAge))
    var isStandardSet = false
    for text in factorChanges {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let requirement = FactorChangePolicy.Requirement(rawValue: String(parts[parts.count - 1])),
        parts.count == 1 || !parts[0].isEmpty
      else {
        throw ValidationError("--factor-changes is any, fresh or strong, or REALM= followed by one of them.")
      }
      if parts.count == 2 {
        let realm = String(parts[0])
        guard !policy.realms.keys.contains(where: { RealmKey($0) == RealmKey(realm) }) else {
          throw ValidationError("--factor-changes is given twice for realm \(realm).")
        }
        policy.realms[realm] = requirement
      } else {
        guard !isStandardSet else { throw ValidationError("--factor-changes is given twice for all realms.") }
        isStandardSet = true
        policy.standard = requirement
      }
    }
    return policy
  }
}
