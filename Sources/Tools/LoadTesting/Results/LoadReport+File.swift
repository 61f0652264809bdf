package import StrictJSON
internal import TerminalText

/// The file format of `--out`, which contains everything that a merge needs.
extension LoadReport {
  private static let kind = "sealring-load"
  private static let version: Int64 = 1

  /// Largest accepted file in bytes.
  package static let maximumFileBytes = 32 << 20

  package var file: JSONObject {
    var file: JSONObject = ["kind": .string(Self.kind), "version": .integer(Self.version)]
    file.merge(head)
    file["rampMicroseconds"] = .integer(rampTime.wholeMicroseconds)
    file["elapsedMicroseconds"] = .integer(elapsed.wholeMicroseconds)
    file["completed"] = .integer(Int64(completed))
    file["failed"] = .integer(Int64(failed))
    file["rampCompleted"] = .integer(Int64(ramp.completed))
    file["rampFailed"] = .integer(Int64(ramp.failed))
    file["whole"] = .object(whole.file)
    file["lag"] = .object(lag.file)
    file["steps"] = .array(
      steps.map { step in
        var entry = step.latencies.file
        entry["step"] = .string(step.step.rawValue)
        return .object(entry)
      })
    file["errors"] = errors.json
    file["intervalSeconds"] = .integer(Int64(intervals.seconds))
    file["intervals"] = .array(
      intervals.list.map { interval in
        var entry = interval.latencies.file
        entry["completed"] = .integer(Int64(interval.completed))
        entry["failed"] = .integer(Int64(interval.failed))
        return .object(entry)
      })
    file["endings"] = .array(endings.map { .string($0.rawValue) })
    return file
  }

  /// Reads a report's file, without trusting any of it.
  ///
  /// - Throws: `JSONFault`.
  package init(file bytes: some Sequence<UInt8>) throws(JSONFault) {
    let file = try JSONReader(
      parsing: bytes, limits: JSONLimits(maximumBytes: Self.maximumFileBytes, maximumDepth: 8),
      rules: JSONReader.Rules(skipsBlanks: true, longestText: 1024))
    guard file.value["kind"]?.stringValue == Self.kind else {
      throw file.wrong("it was not written by `sealring load --out`")
    }
    guard file.value["version"]?.integerValue == Self.version else {
      throw file.wrong("another version of sealring wrote it")
    }
    self.init(
      scenario: try file.line("scenario"), journey: try file.line("journey"),
      devices: try file.count("devices"), pacing: try file.pacing(),
      startedAt: Int64(try file.member("startedAt").number(in: JSONReader.times)),
      rampTime: try file.duration("rampMicroseconds"), elapsed: try file.duration("elapsedMicroseconds"),
      completed: try file.count("completed"), failed: try file.count("failed"),
      ramp: Ramp(completed: try file.count("rampCompleted"), failed: try file.count("rampFailed")),
      whole: try file.member("whole").latencies(.standard), lag: try file.member("lag").latencies(.standard))
    for entry in try file.member("steps").elements("steps") {
      let step: LoadStep = try entry.member("step").choice()
      guard latencies[step] == nil else { throw entry.wrong("step", "is there twice") }
      latencies[step] = try entry.latencies(.standard)
    }
    let most = LoadErrors.most + LoadFailure.Kind.allCases.count
    for entry in try file.member("errors").elements("errors", atMost: most) {
      errors.add(
        LoadFailure(try entry.member("kind").choice(), try entry.line("detail")),
        count: try entry.count("count"))
    }
    let seconds = try file.member("intervalSeconds").number(in: 1...1 << 20)
    guard seconds & (seconds - 1) == 0 else { throw file.wrong("intervalSeconds", "must be a power of two") }
    var intervals: [LoadIntervals.Interval] = []
    for entry in try file.member("intervals").elements("intervals", atMost: LoadIntervals.most) {
      var interval = LoadIntervals.Interval()
      interval.completed = try entry.count("completed")
      interval.failed = try entry.count("failed")
      interval.latencies = try entry.latencies(.coarse)
      intervals.append(interval)
    }
    self.intervals = LoadIntervals(seconds: seconds, list: intervals)
    for ending in try file.member("endings").elements("endings", atMost: 10_000) {
      endings.append(try ending.choice())
    }
  }
}

/// Reads members of a report's file.
extension JSONReader {
  /// A part of the range, so that sums and differences cannot overflow.
  fileprivate static let times = 0...Int.max / 4

  /// A text on one line that is safe to show.
  fileprivate func line(_ name: String) throws(JSONFault) -> String {
    TerminalText.line(value[name] == "" ? "" : try member(name).text())
  }

  /// A count small enough that a merge of many files cannot overflow.
  fileprivate func count(_ name: String) throws(JSONFault) -> Int { try member(name).number(in: 0...1 << 48) }

  fileprivate func pacing() throws(JSONFault) -> LoadPlan.Pacing {
    guard let rate = value["rate"]?.doubleValue else { return .concurrency(try count("concurrency")) }
    // The file may be a merge of several, with the sum of their rates.
    guard rate > 0, rate <= LoadPlan.rates.upperBound * 1000 else { throw wrong("rate", "is too high") }
    return .rate(rate)
  }

  fileprivate func duration(_ name: String) throws(JSONFault) -> Duration {
    let duration = Duration.microseconds(try member(name).number(in: Self.times))
    guard duration <= LoadPlan.longest * 3 else { throw wrong(name, "is too long") }
    return duration
  }

  fileprivate func latencies(_ precision: Latencies.Precision) throws(JSONFault) -> Latencies {
    var entries: [(microseconds: UInt64, count: UInt64)] = []
    for entry in try self["latencies"]?.elements("pairs", atMost: .max) ?? [] {
      guard let value = entry.value[0]?.integerValue.flatMap({ UInt64(exactly: $0) }),
        let count = entry.value[1]?.integerValue, (1...Int64(1) << 48).contains(count)
      else { throw entry.wrong("must be microseconds and how often") }
      entries.append((value, UInt64(count)))
    }
    let longest = UInt64(try member("longest").number(in: Self.times))
    guard let latencies = Latencies(entries, longest: longest, precision: precision) else {
      throw wrong("latencies", "are not those of one load")
    }
    return latencies
  }
}

extension Latencies {
  /// The JSON of `latencies`: pairs of microseconds and counts.
  fileprivate var file: JSONObject {
    [
      "longest": .integer(Int64(longestMicroseconds)),
      "latencies": .array(
        entries.map { [.integer(Int64($0.microseconds)), .integer(Int64(clamping: $0.count))] }),
    ]
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 { Int64(self / .microseconds(1)) }
}
