import Foundation

/// What commands take from the environment.
package enum Environment {
  /// The administrator's password in `SEALRING_ADMIN_PASSWORD`; `nil` when it is not set or empty.
  package static var administratorPassword: String? {
    ProcessInfo.processInfo.environment["SEALRING_ADMIN_PASSWORD"].flatMap { $0.isEmpty ? nil : $0 }
  }
}
