internal import Foundation
internal import JourneyNodes
internal import Logging

extension FactorChangePolicy {
  /// - Throws: ``ServerSetupError`` for a realm that does not exist: its requirement would hold nowhere.
  func check(realms known: [String]) throws {
    guard let unknown = realms.keys.sorted().first(where: { !known.contains($0) }) else { return }
    throw ServerSetupError(
      "--factor-changes names realm \(unknown), which does not exist. The realms are \(known.joined(separator: ", "))."
    )
  }
}
