package import Foundation
package import JourneyNodes
package import JourneyStore
package import Logging
package import ServiceLifecycle
package import StrictJSON

/// Which push services a server speaks to, beside the devices that fetch their messages from it.
public struct PushTransportsConfiguration: Sendable {
  /// Apple devices; `nil` takes no device of that kind.
  public var apns: APNsConfiguration?

  /// Browsers and UnifiedPush; `nil` takes no device of that kind.
  public var webPush: WebPushConfiguration?

  /// Where a stand-in for Apple listens, for tests.
  package var apnsAddress = APNsCarrier.Address.apple

  package var webPushSurroundings = WebPushCarrier.Surroundings()

  public init() {}
}

/// The push services of one server, with a queue in front of each.
package struct PushTransports: Sendable {
  /// By `communicationType`.
  package let transports: [String: any PushTransport]

  /// What has to run with the server.
  package let services: [any Service]

  private let queues: [(name: String, queue: DeliveryQueue)]
  private let applicationServerKey: String?

  /// Messages to one origin that are sent at once: one slow push service, or one that means harm, must leave room.
  private static let atOncePerOrigin = 16

  package init(
    _ configuration: PushTransportsConfiguration, store: any PushStore, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8], logger: Logger
  ) {
    var transports: [String: any PushTransport] = [:]
    var queues: [(name: String, queue: DeliveryQueue)] = []
    let surroundings = DeliveryQueue.Surroundings(clock: clock)
    if let apns = configuration.apns {
      let queue = DeliveryQueue(
        carrier: APNsCarrier(apns, clock: clock, address: configuration.apnsAddress), store: store,
        surroundings: surroundings, logger: logger)
      transports["apns"] = queue
      queues.append(("apns", queue))
    }
    if let webPush = configuration.webPush {
      var limits = DeliveryQueue.Limits()
      limits.atOncePerLane = Self.atOncePerOrigin
      let queue = DeliveryQueue(
        carrier: WebPushCarrier(
          webPush, clock: clock, randomBytes: randomBytes, surroundings: configuration.webPushSurroundings),
        store: store, limits: limits, surroundings: surroundings, logger: logger)
      transports["webpush"] = queue
      transports["unifiedpush"] = queue
      queues.append(("webpush", queue))
    }
    self.transports = transports
    self.queues = queues
    services = queues.map(\.queue)
    applicationServerKey = configuration.webPush?.applicationServerKey
  }

  /// What the queues have done since the server started, by transport.
  package var report: JSONObject {
    var report = JSONObject()
    for (name, queue) in queues {
      var counts = queue.counts.json
      if name == "webpush" { counts["applicationServerKey"] = applicationServerKey.map(JSONValue.string) }
      report[name] = .object(counts)
    }
    return report
  }
}
