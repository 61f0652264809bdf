import CoreMetrics
import JourneyNodes
import Testing

@testable import Operations
@testable import ServerHTTP

@Suite("Metrics as Prometheus reads them") struct PrometheusMetricsTests {
  private static func lines(_ metrics: PrometheusMetrics) -> [String] {
    metrics.text().split(separator: "\n").map(String.init)
  }

  @Test func `a counter, a gauge and what they mean`() {
    let prometheus = PrometheusMetrics(help: ["asked_total": "How often.\nA \\ \"sign\"."])
    let counter = Counter(
      label: "asked_total", dimensions: [("route", "/a"), ("status", "200")], factory: prometheus)
    counter.increment()
    counter.increment(by: 2)
    FloatingPointCounter(label: "seconds_total", factory: prometheus).increment(by: 0.25)
    Meter(label: "open", factory: prometheus).set(-3)
    #expect(
      Self.lines(prometheus) == [
        #"# HELP asked_total How often.\nA \\ "sign"."#, "# TYPE asked_total counter",
        #"asked_total{route="/a",status="200"} 3"#, "# TYPE open gauge", "open -3",
        "# TYPE seconds_total counter", "seconds_total 0.25",
        "# TYPE sealring_metrics_series_refused_total counter", "sealring_metrics_series_refused_total 0",
      ])
  }

  @Test func `what a label holds cannot end a line or another label`() {
    let prometheus = PrometheusMetrics(help: [:])
    Counter(
      label: "c", dimensions: [("a", "\"} 1\nforged 2"), ("b", "\\")], factory: prometheus
    ).increment()
    #expect(Self.lines(prometheus).contains(#"c{a="\"} 1\nforged 2",b="\\"} 1"#))
    #expect(!Self.lines(prometheus).contains { $0.hasPrefix("forged") })
  }

  @Test func `names have only what names may have`() {
    let prometheus = PrometheusMetrics(help: [:])
    Counter(label: "1.a-b{\n", dimensions: [("x y", "1")], factory: prometheus).increment()
    #expect(Self.lines(prometheus).contains(#"_1_a_b__{x_y="1"} 1"#))
  }

  @Test func `a histogram counts each value in all buckets that it fits in`() {
    let prometheus = PrometheusMetrics(help: [:])
    let timer = Timer(label: "t", dimensions: [("n", "x")], factory: prometheus)
    for nanoseconds: Int64 in [1_000_000, 1_000_001, 40_000_000, 60_000_000_000] {
      timer.recordNanoseconds(nanoseconds)
    }
    let lines = Self.lines(prometheus)
    #expect(lines.first == "# TYPE t histogram")
    for line in [
      #"t_bucket{n="x",le="0.001"} 1"#, #"t_bucket{n="x",le="0.0025"} 2"#, #"t_bucket{n="x",le="0.025"} 2"#,
      #"t_bucket{n="x",le="0.05"} 3"#, #"t_bucket{n="x",le="30"} 3"#, #"t_bucket{n="x",le="+Inf"} 4"#,
      #"t_count{n="x"} 4"#,
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(lines.first { $0.hasPrefix("t_sum") }?.hasPrefix(#"t_sum{n="x"} 60.0420"#) == true)
    #expect(lines.filter { $0.hasPrefix("t_bucket") }.count == PrometheusMetrics.buckets.count + 1)
  }

  @Test func `labels that multiply are cut off, and that is counted`() {
    let prometheus = PrometheusMetrics(help: [:], maximumSeries: 3)
    for number in 1...5 {
      Counter(label: "c", dimensions: [("n", "\(number)")], factory: prometheus).increment()
    }
    Counter(label: "c", dimensions: [("n", "2")], factory: prometheus).increment()
    let lines = Self.lines(prometheus)
    #expect(lines.filter { $0.hasPrefix("c{") } == [#"c{n="1"} 1"#, #"c{n="2"} 2"#, #"c{n="3"} 1"#])
    #expect(lines.last == "sealring_metrics_series_refused_total 2")
  }

  @Test func `a name has one type`() {
    let prometheus = PrometheusMetrics(help: [:])
    Counter(label: "c", factory: prometheus).increment()
    Meter(label: "c", factory: prometheus).set(7)
    #expect(Self.lines(prometheus).filter { $0.hasPrefix("c ") } == ["c 1"])
  }
}

@Suite("Names that journey files give to what they measure") struct JourneyMetricNamesTests {
  @Test func `the first names are labels, all others are one`() {
    let names = JourneyMetricNames()
    for number in 0..<JourneyMetricNames.mostNames { #expect(names.label(for: "n\(number)") == "n\(number)") }
    #expect(names.label(for: "one more") == "other" && names.label(for: "n0") == "n0")
  }

  @Test func `timers and meters are exported under their names`() {
    let prometheus = PrometheusMetrics(help: [:])
    let metrics = ServerMetrics(factory: prometheus).nodeMetrics
    metrics.record("auth", .milliseconds(40))
    metrics.count("seen")
    metrics.count("seen")
    let text = prometheus.text()
    #expect(text.contains(#"sealring_journey_timer_seconds_bucket{timer="auth",le="0.05"} 1"#))
    #expect(text.contains(#"sealring_journey_meter_total{meter="seen"} 2"#))
  }
}
