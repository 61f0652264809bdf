internal import Concurrency
internal import Foundation
package import Logging
internal import ProductVersion
package import PushTransports
internal import ServiceLifecycle
package import StrictJSON

/// Sends spans to a collector of OpenTelemetry: OTLP over HTTP, in JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
///
/// A batch is tried three times; what the collector does not take then is dropped and counted.
package struct OTLPExporter: Service, CustomStringConvertible {
  let queue: SpanQueue
  package let client: OutgoingClient

  /// The whole address, with `/v1/traces`.
  package let address: String
  package let metrics: ServerMetrics
  package let logger: Logger

  /// Measures the pauses below.
  package var timer: any Clock<Duration> = ContinuousClock()

  /// How long a span waits for others at most.
  package static let pause = Duration.seconds(5)

  /// Seconds between attempts, doubled each time; a collector may ask for more, up to ``longestPause``.
  private static let firstRetry = 1.0
  private static let longestPause = 30.0
  private static let attempts = 3

  /// How long the remaining spans may take when the server stops.
  package static let farewell = Duration.seconds(3)

  package func run() async throws {
    await withTaskGroup { tasks in
      tasks.addTask {
        await cancelWhenGracefulShutdown {
          while (try? await timer.sleep(for: Self.pause)) != nil { queue.wake() }
        }
        // From here on, no batch is tried again.
        queue.close()
      }
      while !queue.isClosed {
        await queue.whole()
        await sendAll(attempts: Self.attempts)
      }
      await tasks.waitForAll()
    }
    // In a task of its own, because the server may have been cancelled.
    await Task {
      _ = try? await firstOf(
        { await sendAll(attempts: 1) }, orAfter: Self.farewell, on: timer, abandoning: true)
    }.value
    count(dropped: queue.takeDropped())
    await client.close()
  }

  package var description: String { "OTLPExporter" }

  private func sendAll(attempts: Int) async {
    count(dropped: queue.takeDropped())
    while true {
      let spans = queue.take()
      guard !spans.isEmpty else { return }
      await send(spans, attempts: attempts)
    }
  }

  private func send(_ spans: [JSONObject], attempts: Int) async {
    let body = Self.body(spans)
    var pause = Self.firstRetry
    var reason = ""
    for attempt in 1...attempts {
      do {
        let answer = try await client.post(address, contentType: "application/json", body: body)
        if (200..<300).contains(answer.status) {
          return metrics.count(.spans, "sent", by: spans.count)
        }
        reason = "the collector answered \(answer.status)"
        // The statuses that the specification allows to be tried again.
        guard [429, 502, 503, 504].contains(answer.status) else { break }
        pause = max(pause, min(answer.retryAfter ?? 0, Self.longestPause))
      } catch { reason = OutgoingClient.reason(error) }
      guard attempt < attempts, !queue.isClosed,
        (try? await timer.sleep(for: .seconds(pause))) != nil
      else { break }
      pause *= 2
    }
    logger.warning("spans could not be sent to --otlp-endpoint", metadata: ["cause": "\(reason)"])
    count(dropped: spans.count)
  }

  private func count(dropped: Int) {
    if dropped > 0 { metrics.count(.spans, "dropped", by: dropped) }
  }

  /// `ExportTraceServiceRequest`.
  package static func body(_ spans: [JSONObject]) -> [UInt8] {
    func attribute(_ name: String, _ value: String) -> JSONValue {
      ["key": .string(name), "value": ["stringValue": .string(value)]]
    }
    let request: JSONObject = [
      "resourceSpans": [
        [
          "resource": [
            "attributes": [
              attribute("service.name", "sealring"), attribute("service.version", ProductVersion.text),
              attribute("host.name", ProcessInfo.processInfo.hostName),
            ]
          ],
          "scopeSpans": [
            [
              "scope": ["name": "sealring", "version": .string(ProductVersion.text)],
              "spans": .array(spans.map { .object($0) }),
            ]
          ],
        ]
      ]
    ]
    return request.serialized
  }
}
