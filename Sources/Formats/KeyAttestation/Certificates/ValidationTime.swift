package import Foundation
// The fixed time is for tests and for clocks that the application injects, as here.
@_spi(FixedExpiryValidationTime) internal import X509

/// The time at which certificates must be valid.
package struct ValidationTime: Sendable {
  let date: Date

  package init(date: Date) { self.date = date }

  var policy: RFC5280Policy { RFC5280Policy(fixedExpiryValidationTime: date) }
}
