package import Foundation
package import JourneyStore
package import Logging
package import PushService
package import ServiceLifecycle
package import StrictJSON

/// Which push services a server speaks to, beside the devices that fetch their messages from it.
public struct PushServicesConfiguration: Sendable {
  /// Apple devices; `nil` takes no device of that kind.
  public var apns: APNsConfiguration?

  /// Browsers and UnifiedPush; `nil` takes no device of that kind.
  public var webPush: WebPushConfiguration?

  /// Where a stand-in for Apple listens, for tests.
  package var apnsAddress = APNsService.Address.apple

  package var webPushDependencies = WebPushService.Dependencies()

  public init() {}
}

/// The push services of one server, with a queue in front of each.
package struct PushQueues: Sendable {
  /// By `communicationType`.
  package let senders: [String: any PushSender]

  /// What has to run with the server.
  package let services: [any Service]

  private let queues: [(name: String, queue: PushQueue)]
  private let applicationServerKey: String?

  /// Messages to one origin that are sent at once: one slow push service, or one that means harm, must leave room.
  private static let atOncePerOrigin = 16

  package init(
    _ configuration: PushServicesConfiguration, store: any PushStore, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8], logger: Logger
  ) {
    var senders: [String: any PushSender] = [:]
    var queues: [(name: String, queue: PushQueue)] = []
    let dependencies = PushQueue.Dependencies(clock: clock)
    if let apns = configuration.apns {
      let queue = PushQueue(
        service: APNsService(apns, clock: clock, address: configuration.apnsAddress), store: store,
        dependencies: dependencies, logger: logger)
      senders["apns"] = queue
      queues.append(("apns", queue))
    }
    if let webPush = configuration.webPush {
      var limits = PushQueue.Limits()
      limits.atOncePerLane = Self.atOncePerOrigin
      let queue = PushQueue(
        service: WebPushService(
          webPush, clock: clock, randomBytes: randomBytes, dependencies: configuration.webPushDependencies),
        store: store, limits: limits, dependencies: dependencies, logger: logger)
      senders["webpush"] = queue
      senders["unifiedpush"] = queue
      queues.append(("webpush", queue))
    }
    self.senders = senders
    self.queues = queues
    services = queues.map(\.queue)
    applicationServerKey = configuration.webPush?.applicationServerKey
  }

  /// What the queues have done since the server started, by push service.
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
