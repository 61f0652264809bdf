internal import Bytes
public import StrictJSON

extension JourneyTestReport {
  /// The report as JSON.
  public var json: JSONObject {
    [
      "passed": .bool(isSuccess), "covered": .bool(isCovered),
      "files": .array(files.map { .object($0.json) }),
      "coverage": .array(coverage.map { .object($0.json) }),
    ]
  }

  /// The report as JUnit XML, which CI systems read: a `testsuite` for each file.
  public var junit: String {
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>"]
    for file in files {
      let failures = file.tests.count { $0.failure != nil }
      lines.append(
        "  <testsuite name=\(quoted(file.name)) tests=\"\(max(file.tests.count, file.problem == nil ? 0 : 1))\" "
          + "failures=\"\(failures)\" errors=\"\(file.problem == nil ? 0 : 1)\" skipped=\"0\">"
      )
      if let problem = file.problem {
        lines.append("    <testcase name=\"the file\" classname=\(quoted(file.name))>")
        lines.append("      <error message=\(quoted(problem))/>")
        lines.append("    </testcase>")
      }
      for test in file.tests {
        let time = (test.duration / .milliseconds(1)).rounded() / 1000
        let start =
          "    <testcase name=\(quoted(test.name)) classname=\(quoted(file.name)) file=\(quoted(file.file)) time=\"\(time)\""
        guard let failure = test.failure else {
          lines.append(start + "/>")
          continue
        }
        lines.append(start + ">")
        lines.append(
          "      <failure message=\(quoted("step \(failure.step), \(failure.title): \(failure.reason)"))>\(MarkupText.xml(failure.text(in: file.file)))</failure>"
        )
        lines.append("    </testcase>")
      }
      lines.append("  </testsuite>")
    }
    return (lines + ["</testsuites>", ""]).joined(separator: "\n")
  }
}

extension JourneyTestReport.FileResult {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["file": .string(file), "name": .string(name)]
    if let problem { json["problem"] = .string(problem) }
    json["tests"] = .array(tests.map { .object($0.json) })
    return json
  }
}

extension JourneyTestReport.TestResult {
  fileprivate var json: JSONObject {
    var json: JSONObject = [
      "name": .string(name), "line": .integer(Int64(line)), "passed": .bool(failure == nil),
      "milliseconds": .integer(Int64(duration / .milliseconds(1))),
    ]
    if let failure {
      json["failure"] = .object([
        "step": .integer(Int64(failure.step)), "line": .integer(Int64(failure.line)),
        "title": .string(failure.title), "reason": .string(failure.reason),
        "difference": .array(failure.difference.map { .string($0) }), "came": .string(failure.came),
        "visited": .array(failure.visited.map { .string($0) }),
        "log": .array(failure.log.map { .string($0) }),
      ])
    }
    return json
  }
}

extension JourneyCoverage {
  fileprivate var json: JSONObject {
    [
      "journey": .string(journey), "realm": .string(realm), "nodes": .integer(Int64(nodes)),
      "nodesVisited": .integer(Int64(nodesVisited)), "outcomes": .integer(Int64(outcomes)),
      "outcomesTaken": .integer(Int64(outcomesTaken)),
      "gaps": .array(
        gaps.map { gap in
          .object(["place": .string(gap.place), "reason": gap.reason.map { .string($0) } ?? .null])
        }),
    ]
  }
}

/// Quotes the value of an XML attribute; readers would turn a raw line feed into a space.
private func quoted(_ text: String) -> String {
  "\"\(MarkupText.xml(text).replacing("\n", with: "&#10;"))\""
}
