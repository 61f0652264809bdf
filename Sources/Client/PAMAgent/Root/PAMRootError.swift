internal import Foundation

/// Why root's side of PAM failed, and what to do.
package struct PAMRootError: LocalizedError, Hashable {
  package let errorDescription: String?

  package init(_ description: String) { errorDescription = description }
}
