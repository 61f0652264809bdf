package import StrictJSON
internal import TerminalText

/// The file of `--out`: everything that a merge needs.
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

  /// Reads such a file. Nothing in it is trusted.
  ///
  /// - Throws: ``LoadFileError``.
  package init(file bytes: some Sequence<UInt8>) throws(LoadFileError) {
    let json: JSONObject
    do {
      json = try JSONObject(
        parsing: bytes, limits: JSONLimits(maximumBytes: Self.maximumFileBytes, maximumDepth: 8))
    } catch { throw LoadFileError(description: "it is not JSON: \(error)") }
    guard json["kind"]?.stringValue == Self.kind else {
      throw LoadFileError(description: "it was not written by `sealring load --out`")
    }
    guard json["version"]?.integerValue == Self.version else {
      throw LoadFileError(description: "another version of sealring wrote it")
    }
    let reader = LoadFileReader(json)
    self.init(
      scenario: try reader.text("scenario"), journey: try reader.text("journey"),
      devices: try reader.count("devices"),
      pacing: try reader.pacing(),
      startedAt: try reader.integer("startedAt"), rampTime: try reader.duration("rampMicroseconds"),
      elapsed: try reader.duration("elapsedMicroseconds"), completed: try reader.count("completed"),
      failed: try reader.count("failed"),
      ramp: Ramp(completed: try reader.count("rampCompleted"), failed: try reader.count("rampFailed")),
      whole: try LoadFileReader(reader.object("whole")).latencies(.standard),
      lag: try LoadFileReader(reader.object("lag")).latencies(.standard), steps: [],
      errors: LoadErrors(), intervals: LoadIntervals(), endings: [])
    for entry in try reader.list("steps", atMost: LoadStep.allCases.count) {
      guard let step = LoadStep(rawValue: try entry.text("step")), !steps.contains(where: { $0.step == step })
      else { throw LoadFileReader.damaged("steps") }
      steps.append(Step(step: step, latencies: try entry.latencies(.standard)))
    }
    let most = LoadErrors.most + LoadFailure.Kind.allCases.count
    for entry in try reader.list("errors", atMost: most) {
      guard let kind = LoadFailure.Kind(rawValue: try entry.text("kind")) else {
        throw LoadFileReader.damaged("errors")
      }
      errors.add(LoadFailure(kind, try entry.text("detail")), count: try entry.count("count"))
    }
    let seconds = try reader.count("intervalSeconds")
    guard seconds > 0, seconds <= 1 << 20, seconds & (seconds - 1) == 0 else {
      throw LoadFileReader.damaged("intervalSeconds")
    }
    let list = try reader.list("intervals", atMost: LoadIntervals.most)
    var intervals: [LoadIntervals.Interval] = []
    for entry in list {
      var interval = LoadIntervals.Interval()
      interval.completed = try entry.count("completed")
      interval.failed = try entry.count("failed")
      interval.latencies = try entry.latencies(.coarse)
      intervals.append(interval)
    }
    self.intervals = LoadIntervals(seconds: seconds, list: intervals)
    guard let names = json["endings"]?.arrayValue, names.count <= 10_000 else {
      throw LoadFileReader.damaged("endings")
    }
    for name in names {
      guard let ending = name.stringValue.flatMap(Ending.init(rawValue:)) else {
        throw LoadFileReader.damaged("endings")
      }
      endings.append(ending)
    }
  }
}

/// Why a file is not a report.
package struct LoadFileError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String
}

/// Reads members of a report's file.
private struct LoadFileReader {
  private let json: JSONObject

  init(_ json: JSONObject) { self.json = json }

  static func damaged(_ name: String) -> LoadFileError {
    LoadFileError(description: "the member \(name) is missing or malformed")
  }

  /// A line that is safe to show.
  func text(_ name: String) throws(LoadFileError) -> String {
    guard let text = json[name]?.stringValue, text.utf8.count <= 1024 else { throw Self.damaged(name) }
    return TerminalText.line(text)
  }

  func integer(_ name: String) throws(LoadFileError) -> Int64 {
    // Half of the range, so that the difference of two cannot overflow.
    guard let value = json[name]?.integerValue, (0...Int64.max / 4).contains(value) else {
      throw Self.damaged(name)
    }
    return value
  }

  /// So small that a merge of many cannot overflow.
  func count(_ name: String) throws(LoadFileError) -> Int {
    let value = try integer(name)
    guard value <= 1 << 48 else { throw Self.damaged(name) }
    return Int(value)
  }

  func pacing() throws(LoadFileError) -> LoadPlan.Pacing {
    guard let rate = json["rate"]?.doubleValue else { return .concurrency(try count("concurrency")) }
    // A merge of several is a file, too.
    guard rate > 0, rate <= LoadPlan.rates.upperBound * 1000 else { throw Self.damaged("rate") }
    return .rate(rate)
  }

  func duration(_ name: String) throws(LoadFileError) -> Duration {
    let value = Duration.microseconds(try integer(name))
    guard value <= LoadPlan.longest * 3 else { throw Self.damaged(name) }
    return value
  }

  func object(_ name: String) throws(LoadFileError) -> JSONObject {
    guard let object = json[name]?.objectValue else { throw Self.damaged(name) }
    return object
  }

  func list(_ name: String, atMost most: Int) throws(LoadFileError) -> [LoadFileReader] {
    guard let list = json[name]?.arrayValue, list.count <= most else { throw Self.damaged(name) }
    let objects = list.compactMap(\.objectValue)
    guard objects.count == list.count else { throw Self.damaged(name) }
    return objects.map(LoadFileReader.init)
  }

  func latencies(_ precision: Latencies.Precision) throws(LoadFileError) -> Latencies {
    let list = json["latencies"]?.arrayValue ?? []
    var entries: [(microseconds: UInt64, count: UInt64)] = []
    for entry in list {
      guard let value = entry[0]?.integerValue.flatMap({ UInt64(exactly: $0) }),
        let count = entry[1]?.integerValue, (1...Int64(1) << 48).contains(count)
      else { throw Self.damaged("latencies") }
      entries.append((value, UInt64(count)))
    }
    guard let longest = UInt64(exactly: try integer("longest")),
      let latencies = Latencies(entries, longest: longest, precision: precision)
    else { throw Self.damaged("latencies") }
    return latencies
  }
}

extension Latencies {
  /// `latencies`: pairs of microseconds and how often.
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
