internal import Foundation

/// Why the agent cannot run, and what to do.
package struct AgentError: LocalizedError, Hashable {
  package let errorDescription: String?

  package init(_ description: String) { errorDescription = description }
}
