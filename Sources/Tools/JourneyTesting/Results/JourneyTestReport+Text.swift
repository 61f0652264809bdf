internal import StrictJSON

extension JourneyTestReport {
  /// The report for a terminal.
  ///
  /// - Parameter isVerbose: whether to list tests that passed, too.
  public func text(isVerbose: Bool = false) -> String {
    var lines: [String] = []
    for file in files { lines += Self.lines(file, isVerbose: isVerbose) }
    lines += coverageLines(isVerbose: isVerbose)
    let tests = files.flatMap(\.tests)
    let failures = tests.count { $0.failure != nil }
    let broken = files.count { $0.problem != nil }
    var summary = "\(tests.count) \(tests.count == 1 ? "test" : "tests")"
    if !tests.isEmpty { summary += failures == 0 ? ", all passed" : ", \(failures) failed" }
    if broken > 0 { summary += ", \(broken) \(broken == 1 ? "file" : "files") could not be run" }
    // Journeys, which may be somebody else's, choose names and messages. They must not control the terminal.
    let text = (lines + [summary + "."]).joined(separator: "\n")
    let shown = text.unicodeScalars.map { $0 == "\n" || $0.isFitForLine ? $0 : "\u{FFFD}" }
    return String(String.UnicodeScalarView(shown))
  }

  private static func lines(_ file: FileResult, isVerbose: Bool) -> [String] {
    if let problem = file.problem { return ["\(file.file): \(problem)"] }
    var lines: [String] = []
    for test in file.tests {
      guard let failure = test.failure else {
        if isVerbose { lines.append("passed  \(file.name): \(test.name)") }
        continue
      }
      lines.append("FAILED  \(file.name): \(test.name)")
      lines += failure.lines(in: file.file).map { "  " + $0 }
    }
    return lines
  }

  private func coverageLines(isVerbose: Bool) -> [String] {
    var lines: [String] = []
    for journey in coverage {
      let open = journey.gaps.filter { $0.reason == nil }
      let excused = journey.gaps.filter { $0.reason != nil }
      var line = "\(journey.journey): \(journey.nodesVisited) of \(journey.nodes) nodes, "
      line += "\(journey.outcomesTaken) of \(journey.outcomes) outcomes"
      if !excused.isEmpty { line += ", \(excused.count) left out" }
      lines.append(line)
      lines += open.map { "  not covered: \($0.place)" }
      if isVerbose { lines += excused.map { "  left out: \($0.place), because \($0.reason ?? "")" } }
    }
    return lines
  }
}

extension StepFailure {
  /// The lines that help to find the mistake.
  func lines(in file: String) -> [String] {
    var lines = ["\(file):\(line): step \(step), \(title)"]
    lines += reason.split(separator: "\n").map(String.init)
    lines += difference
    lines.append("The journey: \(came)")
    if !visited.isEmpty { lines.append("Visited: \(visited.joined(separator: ", "))") }
    lines += log.map { "Log: \($0)" }
    return lines
  }

  /// The lines as one text.
  public func text(in file: String) -> String { lines(in: file).joined(separator: "\n") }
}
