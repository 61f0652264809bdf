import Bytes
import CommonFixtures
import Foundation
@testable import LoadTesting
import StrictJSON
import Testing

@Suite struct ReportTests {
  private static func report(
    _ times: [Duration], at start: Int64 = 1_700_000_000_000, failing: [LoadFailure] = []
  ) async -> LoadReport {
    let clock = JumpingClock()
    let plan = LoadPlan(
      scenario: .signIn, devices: 1, pacing: .rate(1), duration: .seconds(times.count + failing.count))
    let recorder = LoadRecorder()
    let driver = ScriptedDriver { _, run, steps in
      try await steps.measure(.start) { clock.pass(.microseconds(300)) }
      guard run < times.count else { throw failing[run - times.count] }
      clock.pass(times[run] - .microseconds(300))
    }
    await LoadRun(plan, driver: driver, clock: LoadClock(clock), recorder: recorder).run()
    return recorder.report(of: plan, start: start)
  }

  private static func times(_ count: Int, seed: UInt64) -> [Duration] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in .microseconds(Int.random(in: 400...900_000, using: &generator)) }
  }

  @Test func `a merge equals one report of all runs`() async throws {
    let (left, right) = (Self.times(60, seed: 1), Self.times(60, seed: 2))
    let reports = [await Self.report(left), await Self.report(right)]
    let merged = try LoadReport.merged(reports)
    var all = Latencies()
    for time in left + right { all.record(time) }
    #expect(merged.whole == all && merged.completed == 120)
    for percentile in [50, 90, 99, 99.9, 100.0] {
      #expect(merged.whole.percentile(percentile) == all.percentile(percentile))
    }
    #expect(merged.pacing == .rate(2) && merged.devices == 2 && merged.endings.count == 2)
    #expect(merged.steps.first?.latencies.count == 120)
    #expect(merged.intervals.list.reduce(0) { $0 + $1.completed } == 120)
    #expect(abs(merged.throughput - 2) < 0.1)
  }

  @Test func `a file has all of a report`() async throws {
    let failures = [LoadFailure(.busy, "429 Too many"), LoadFailure(.timeout, "no answer in time")]
    let report = await Self.report(Self.times(40, seed: 3), failing: failures)
    let read = try LoadReport(file: report.file.serialized)
    #expect(read == report)
    for percentile in [50, 99, 99.99, 100.0] {
      #expect(read.whole.percentile(percentile) == report.whole.percentile(percentile))
    }
    // And a merge is a file, too.
    let merged = try LoadReport.merged([report, read])
    #expect(try LoadReport(file: merged.file.serialized) == merged)
  }

  @Test func `loads that did not run at the same time, or did different things, are not merged`() async {
    let first = await Self.report(Self.times(10, seed: 4))
    let later = await Self.report(Self.times(10, seed: 4), at: first.startedAt + 60_000)
    var other = first
    other.scenario = "bind"
    var closed = first
    closed.pacing = .concurrency(3)
    for reports in [[], [first, later], [first, other], [first, closed]] {
      #expect(throws: LoadMergeError.self) { try LoadReport.merged(reports) }
    }
  }

  @Test func `loads that began one after the other are merged by the clock`() async throws {
    let first = await Self.report(Array(repeating: .milliseconds(2), count: 20))
    let second = await Self.report(
      Array(repeating: .milliseconds(2), count: 20), at: first.startedAt + 5000)
    let merged = try LoadReport.merged([second, first])
    #expect(merged.startedAt == first.startedAt && merged.elapsed >= .seconds(25))
    #expect(merged.intervals.list.prefix(4).allSatisfy { $0.completed == 1 })
    #expect(merged.intervals.list[10].completed == 2)
  }

  @Test func `a file that was changed is refused, and never read as something else`() async throws {
    let report = await Self.report(Self.times(20, seed: 5), failing: [LoadFailure(.closed, "gone")])
    let file = report.file
    func changed(_ name: String, _ value: JSONValue?) -> [UInt8] {
      var file = file
      file[name] = value
      return file.serialized
    }
    let huge: JSONValue = ["longest": 5, "latencies": [[5, .integer(.max)], [6, .integer(.max)]]]
    let bad: [[UInt8]] = [
      [], Array("[]".utf8), changed("kind", "other"), changed("version", 2), changed("whole", nil),
      changed("whole", ["longest": 5, "latencies": [[5, 0]]]), changed("whole", huge),
      changed("whole", ["longest": 5, "latencies": [[-1, 1]]]),
      changed("whole", ["longest": 9_000_000_000, "latencies": [[9_000_000_000, 1]]]),
      changed("whole", ["longest": 1, "latencies": [[50_000, 1]]]), changed("completed", -1),
      changed("completed", .integer(.max)), changed("intervalSeconds", 0), changed("intervalSeconds", 3),
      changed("startedAt", .integer(.max)), changed("elapsedMicroseconds", .integer(.max)),
      changed("rate", -5), changed("rate", nil), changed("endings", ["exploded"]),
      changed("errors", [["kind": "x", "detail": "y", "count": 1]]),
      changed("steps", [["step": "dance", "longest": 0, "latencies": []]]),
      changed("intervals", .array(Array(repeating: [:], count: LoadIntervals.most + 1))),
    ]
    for bytes in bad {
      #expect(throws: JSONFault.self, "\(String(decoding: bytes.prefix(200), as: UTF8.self))") {
        try LoadReport(file: bytes)
      }
    }
  }

  @Test func `a long load keeps few intervals and loses no run`() {
    var intervals = LoadIntervals()
    for second in 0..<5000 { intervals.change(at: .seconds(second)) { $0.completed += 1 } }
    #expect(intervals.list.count <= LoadIntervals.most && intervals.seconds == 16)
    #expect(intervals.list.reduce(0) { $0 + $1.completed } == 5000)
    #expect(intervals.list.dropLast().allSatisfy { $0.completed == 16 })
  }

  @Test func `percentiles are exact to three digits, and the longest is exact`() {
    var latencies = Latencies()
    for millisecond in 1...10_000 { latencies.record(.milliseconds(millisecond)) }
    latencies.record(.microseconds(123_456_789))
    #expect(abs(latencies.percentile(50) / .milliseconds(1) - 5000) <= 5)
    #expect(abs(latencies.percentile(99) / .milliseconds(1) - 9900) <= 10)
    #expect(latencies.maximum == .microseconds(123_456_789))
    // Longer than an hour, and less than nothing, are kept within bounds.
    latencies.record(.seconds(90_000))
    latencies.record(.seconds(-1))
    #expect(latencies.maximum == .seconds(3600) && latencies.count == 10_003)
  }

  @Test func `the text fits 80 columns, whatever the server wrote`() async {
    let evil = LoadFailure(.refused, "401 \u{1B}[2J\u{202E}" + String(repeating: "very long ", count: 50))
    let report = await Self.report(Self.times(20, seed: 6), failing: [evil])
    let lines = report.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(report.text)")
    #expect(!report.text.contains("\u{1B}") && !report.text.contains("\u{202E}"))
    #expect(report.text.contains("whole run") && report.text.contains("start journey"))
  }

  @Test func `a file's texts cannot control the terminal or break the page`() async throws {
    var file = (await Self.report(Self.times(3, seed: 8))).file
    file["journey"] = .string("\u{1B}]0;owned\u{7}<b>" + String(repeating: "x", count: 900))
    file["scenario"] = "sign-in\u{1B}[2J"
    let report = try LoadReport(file: file.serialized)
    #expect(!report.text.contains("\u{1B}") && !report.text.contains("\u{7}"))
    #expect(report.text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(report.text)")
    #expect(!report.html.contains("<b>") && !report.html.contains("\u{1B}"))
    #expect(report.json["journey"]?.stringValue?.contains("\u{1B}") == false)
  }

  @Test func `a machine that is too slow for its load says so`() async {
    let recorder = LoadRecorder()
    let clock = JumpingClock()
    let plan = LoadPlan(scenario: .signIn, devices: 50, pacing: .rate(10), duration: .seconds(10))
    // The loop itself is late: the clock goes on behind its back, and devices are free all the time.
    let late = LoadClock(LateClock(clock, by: .milliseconds(30)))
    await LoadRun(plan, driver: ScriptedDriver { _, _, _ in }, clock: late, recorder: recorder).run()
    let report = recorder.report(of: plan, start: 0)
    #expect(report.lag.percentile(50) >= .milliseconds(30) && report.text.contains("too slow"))
    #expect(report.json["startDelay"]?["p99"]?.doubleValue ?? 0 >= 30)
    let good = await Self.report(Self.times(3, seed: 9))
    #expect(good.lag.maximum == .zero && !good.text.contains("too slow"))
  }

  @Test func `JSON has every percentile in milliseconds, and failures by kind`() async {
    let report = await Self.report(
      Array(repeating: .milliseconds(3), count: 50), failing: [LoadFailure(.busy, "503 Busy")])
    let json = report.json
    #expect(json["completed"] == 50 && json["failed"] == 1 && json["rate"] == .number(1))
    for name in ["p50", "p90", "p99", "p99.9", "max"] {
      #expect(json["latency"]?[name]?.doubleValue == 3, "\(name)")
    }
    #expect(json["steps"]?[0]?["step"] == "start" && json["steps"]?[0]?["p50"]?.doubleValue == 0.3)
    #expect(json["errors"]?[0] == ["kind": "busy", "detail": "503 Busy", "count": 1])
    #expect(json["failedByKind"] == ["busy": 1])
    #expect(json["ended"] == ["completed"])
  }

  @Test func `the page has plots, no script, and nothing from elsewhere`() async {
    var report = await Self.report(
      Self.times(30, seed: 7), failing: [LoadFailure(.refused, "</td><script>alert(1)</script>")])
    report.journey = #"<img src="https://evil.example/x">"#
    let page = report.html
    #expect(page.components(separatedBy: "<svg").count == 3 && page.contains("<polyline class=\"two\""))
    #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("src=\""))
    #expect(page.contains("default-src 'none'") && page.contains("&lt;script&gt;"))
    #expect(!page.contains("nan") && !page.contains("inf"))
  }

  @Test func `a report of nothing has every form`() async throws {
    let clock = JumpingClock()
    let plan = LoadPlan(scenario: .bind, devices: 1, pacing: .concurrency(1), duration: nil)
    let recorder = LoadRecorder()
    let driver = ScriptedDriver { _, _, _ in }
    await LoadRun(plan, devices: [], driver: driver, clock: LoadClock(clock), recorder: recorder).run()
    let report = recorder.report(of: plan, start: 0)
    #expect(report.completed == 0 && report.throughput == 0 && !report.html.isEmpty && !report.text.isEmpty)
    #expect(try LoadReport(file: report.file.serialized) == report)
  }

  @Test func `a report that does not keep to its limits says which`() async {
    let busy = Array(repeating: LoadFailure(.busy, "429"), count: 5)
    let report = await Self.report(Array(repeating: .milliseconds(30), count: 95), failing: busy)
    #expect(LoadLimits().broken(by: report).isEmpty)
    #expect(LoadLimits(p99: .milliseconds(31), failed: 0.05).broken(by: report).isEmpty)
    let broken = LoadLimits(p99: .milliseconds(29), failed: 0.04).broken(by: report)
    #expect(broken.count == 2 && broken[1] == "5 of 100 runs failed, more than 4 %.", "\(broken)")
    // Nothing that ran keeps to no limit.
    let empty = await Self.report([])
    #expect(LoadLimits(p99: .seconds(1), failed: 0.5).broken(by: empty).count == 2)
  }

  @Test func `texts of failures are kept only so many, and all are counted`() {
    var errors = LoadErrors()
    for number in 0..<1000 { errors.add(LoadFailure(.refused, "401 number \(number)")) }
    errors.add(LoadFailure(.busy, "429"), count: 5)
    #expect(errors.entries.count <= LoadErrors.most + LoadFailure.Kind.allCases.count)
    #expect(errors.byKind.map(\.count) == [1000, 5] && errors.byKind.map(\.kind) == [.refused, .busy])
  }
}
