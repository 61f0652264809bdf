internal import Bytes
package import Foundation

/// How often something happened in one period, by a label: a small row from which plots are drawn.
package struct ActivityCount: Sendable, Hashable {
  /// What is counted. The raw value is stored.
  package enum Series: String, Sendable, Hashable, CaseIterable {
    /// Ended sign-ins; the label is `success` or `failure`.
    case signIns = "sign-ins"

    /// Failed sign-ins; the label is the type of the node that refused.
    case refusals

    /// Requests of journeys by how long the server took; the label is the bound in milliseconds, ``ActivityCount/latencyBounds``.
    case latency

    /// All requests of a realm; the label is the class of the status, such as `2xx`.
    case requests

    /// How often a connection of a journey was taken; the label is ``ActivityCount/edge(journey:node:outcome:)``.
    case edges
  }

  /// How long a period is.
  package enum Grain: Int, Sendable, Hashable, CaseIterable {
    case minute = 60
    case hour = 3600

    /// How long its rows are kept. Seconds.
    package var retention: TimeInterval {
      switch self {
      case .minute: 2 * 86_400
      case .hour: 400 * 86_400
      }
    }

    /// The beginning of the period that has `date`, in seconds since 1970.
    package func period(of date: Date) -> Int {
      let seconds = Int(date.timeIntervalSince1970.rounded(.down))
      return seconds - ((seconds % rawValue) + rawValue) % rawValue
    }
  }

  package var realm: String
  package var series: Series
  package var grain: Grain

  /// The beginning of the period, in seconds since 1970.
  package var period: Int
  package var label: String
  package var amount: Int

  package init(realm: String, series: Series, grain: Grain, period: Int, label: String, amount: Int) {
    self.realm = realm
    self.series = series
    self.grain = grain
    self.period = period
    self.label = label
    self.amount = amount
  }

  /// Milliseconds; a request counts under the first bound that it does not exceed, and slower ones under the last.
  package static let latencyBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]

  package static func latencyLabel(milliseconds: Double) -> String {
    String(latencyBounds.first { milliseconds <= Double($0) } ?? latencyBounds[latencyBounds.count - 1])
  }

  /// The label of a connection; names of journeys have no line feed.
  package static func edge(journey: String, node: String, outcome: String) -> String {
    [journey, node, outcome].map { $0.bounded(to: 120).replacing("\n", with: " ") }
      .joined(separator: "\n")
  }

  /// The parts of ``edge(journey:node:outcome:)``.
  package static func edge(of label: String) -> (journey: String, node: String, outcome: String)? {
    let parts = label.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return parts.count == 3 ? (parts[0], parts[1], parts[2]) : nil
  }
}

/// The number of devices of the same kind, model and attestation.
package struct DeviceCount: Sendable, Hashable {
  /// `bound`, `webauthn`, `oath` or `push`.
  package var kind: String

  /// The model, as far as the kind knows it: the platform of a push device, an authenticator's AAGUID, an algorithm; may be empty.
  package var model: String

  /// The kind of the key's attestation, or `none`.
  package var attestation: String
  package var count: Int
}
