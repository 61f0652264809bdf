import JourneyEngine
import StrictJSON

/// How many journeys of a check load, and which node types are unknown.
struct JourneyCheckSummary {
  private(set) var journeys = 0
  private var failed = 0
  private var warned = 0
  private var unreadable: [String] = []

  /// Numbers of nodes by their type.
  private var unknownTypes: [String: Int] = [:]

  /// Adds the findings of files that belong together.
  mutating func add(_ files: [JourneyCatalog.LoadedFile], _ findings: [JourneyFinding]) {
    let doubtful = Set(findings.filter { $0.severity == .warning }.compactMap(\.fault.journey))
    for file in files {
      journeys += file.journeys.count
      failed += file.refused.count
      warned += file.loaded.count { doubtful.contains($0) }
      if file.journeys.isEmpty, !file.faults.isEmpty { unreadable.append(file.source) }
    }
    for finding in findings where finding.kind == JourneyWarning.Kind.unknownType.description {
      unknownTypes[finding.fault.nodeType ?? "", default: 0] += 1
    }
  }

  private var mostFrequent: [(key: String, value: Int)] {
    unknownTypes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }

  var lines: [String] {
    var parts = [
      "\(journeys - failed - warned) load", "\(warned) load with warnings", "\(failed) fail",
    ]
    if !unreadable.isEmpty {
      parts.append("\(unreadable.count) \(unreadable.count == 1 ? "file" : "files") cannot be read")
    }
    var lines = ["\(journeys) \(journeys == 1 ? "journey" : "journeys"): \(parts.joined(separator: ", "))."]
    if !unknownTypes.isEmpty {
      lines.append(
        "Unknown node types: " + mostFrequent.map { "\($0.key) (\($0.value))" }.joined(separator: ", ") + ".")
    }
    return lines
  }

  var json: JSONValue {
    [
      "journeys": .integer(Int64(journeys)), "load": .integer(Int64(journeys - failed - warned)),
      "loadWithWarnings": .integer(Int64(warned)), "fail": .integer(Int64(failed)),
      "unreadableFiles": .array(unreadable.map { .string($0) }),
      "unknownTypes": .object(
        JSONObject(mostFrequent.map { ($0.key, .integer(Int64($0.value))) })),
    ]
  }
}
