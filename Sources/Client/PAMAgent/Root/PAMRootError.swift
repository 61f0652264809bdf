internal import Foundation

/// Why root's side of PAM failed, and what to do.
package struct PAMRootError: LocalizedError, Hashable {
  package let errorDescription: String?
  /// Whether something on record was changed or cut off.
  package let isDamage: Bool

  package init(_ description: String, isDamage: Bool = false) {
    errorDescription = description
    self.isDamage = isDamage
  }
}
