package import Foundation
package import JourneyStore
package import Logging
package import PushService
package import ServiceLifecycle
package import StrictJSON

/// The push services that a server uses, besides the devices that fetch their messages from it.
public struct PushServicesConfiguration: Sendable {
  /// Settings for Apple devices; `nil` refuses them.
  public var apns: APNsConfiguration?

  /// Settings for browsers and UnifiedPush; `nil` refuses them.
  public var webPush: WebPushConfiguration?

  /// The address of Apple's service, or of a stand-in for tests.
  package var apnsAddress = APNsService.Address.apple

  package var webPushDependencies = WebPushService.Dependencies()

  public init() {}
}

/// The push services of one server, with a queue in front of each.
package struct PushQueues: Sendable {
  /// The senders by `communicationType`.
  package let senders: [String: any PushSender]

  /// The services to run with the server.
  package var services: [any Service] { queues }

  private let queues: [PushQueue]
  private let applicationServerKey: String?

  package init(
    _ configuration: PushServicesConfiguration, store: any ServerStore, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8], logger: Logger
  ) {
    var senders: [String: PushQueue] = [:]
    let dependencies = PushQueue.Dependencies(clock: clock)
    if let apns = configuration.apns {
      senders["apns"] = PushQueue(
        service: APNsService(apns, clock: clock, address: configuration.apnsAddress), store: store,
        dependencies: dependencies, logger: logger)
    }
    if let webPush = configuration.webPush {
      var limits = PushQueue.Limits()
      // Devices choose the push services: a slow or malicious one must leave room.
      limits.limitsLanes = true
      let queue = PushQueue(
        service: WebPushService(
          webPush, clock: clock, randomBytes: randomBytes, dependencies: configuration.webPushDependencies),
        store: store, limits: limits, dependencies: dependencies, logger: logger)
      senders["webpush"] = queue
      senders["unifiedpush"] = queue
    }
    self.senders = senders
    queues = ["apns", "webpush"].compactMap { senders[$0] }
    applicationServerKey = configuration.webPush?.applicationServerKey
  }

  /// The queues' counts since the server started.
  package var counts: [(service: String, counts: PushQueueCounts)] { queues.map { ($0.name, $0.counts) } }

  /// The queues' counts since the server started, by push service, for operators.
  package var report: JSONObject {
    var report = JSONObject()
    for queue in queues {
      var counts = queue.counts.json
      if queue.name == "webpush" {
        counts["applicationServerKey"] = applicationServerKey.map(JSONValue.string)
      }
      report[queue.name] = .object(counts)
    }
    return report
  }
}
