internal import Foundation
package import StrictJSON

/// The output of `--json`. Times are in milliseconds.
extension LoadReport {
  package var json: JSONObject {
    var json = head
    json["rampSeconds"] = .number(rampTime.rounded(to: .seconds(1)))
    json["seconds"] = .number(elapsed.rounded(to: .seconds(1)))
    json["completed"] = .integer(Int64(completed))
    json["failed"] = .integer(Int64(failed))
    json["ramp"] = [
      "completed": .integer(Int64(ramp.completed)), "failed": .integer(Int64(ramp.failed)),
    ]
    json["throughput"] = .number((throughput * 100).rounded() / 100)
    json["latency"] = .object(Self.json(whole))
    if case .rate = pacing { json["startDelay"] = .object(Self.json(lag)) }
    json["steps"] = .array(
      steps.map { step in
        var entry: JSONObject = ["step": .string(step.step.rawValue)]
        entry.merge(Self.json(step.latencies))
        return .object(entry)
      })
    json["errors"] = errors.json
    json["failedByKind"] = .object(
      JSONObject(errors.byKind.map { ($0.kind.rawValue, .integer(Int64($0.count))) }))
    json["ended"] = .array(endings.map { .string($0.rawValue) })
    return json
  }

  /// The load and its target; the file of `--out` has these members, too.
  var head: JSONObject {
    var json: JSONObject = [
      "scenario": .string(scenario), "journey": .string(journey), "devices": .integer(Int64(devices)),
    ]
    switch pacing {
    case .rate(let rate): json["rate"] = .number(rate)
    case .concurrency(let count): json["concurrency"] = .integer(Int64(count))
    }
    json["startedAt"] = .integer(startedAt)
    return json
  }

  private static func json(_ latencies: Latencies) -> JSONObject {
    var json: JSONObject = ["count": .integer(Int64(clamping: latencies.count))]
    for (name, value) in percentiles {
      json[name] = .number(latencies.percentile(value).rounded(to: .milliseconds(1)))
    }
    json["max"] = .number(latencies.maximum.rounded(to: .milliseconds(1)))
    return json
  }
}

extension LoadErrors {
  var json: JSONValue {
    .array(
      entries.map {
        ["kind": .string($0.kind.rawValue), "detail": .string($0.detail), "count": .integer(Int64($0.count))]
      })
  }
}

extension Duration {
  /// The duration in `unit`, with three decimals.
  fileprivate func rounded(to unit: Duration) -> Double { (self / unit * 1000).rounded() / 1000 }
}
