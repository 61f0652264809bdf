internal import Foundation

/// Why root's side of PAM cannot do something, with what to do.
package struct PAMRootError: LocalizedError, Hashable {
  package let errorDescription: String?

  package init(_ description: String) { errorDescription = description }
}
