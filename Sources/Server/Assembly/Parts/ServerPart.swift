internal import ServiceLifecycle

/// A part of the server, made from the parts before it.
protocol ServerPart: Sendable {
  /// What it does beside the requests, until the server stops.
  var backgroundServices: [any Service] { get }
}
