/// What a load has to keep to, so that CI can refuse what has become slower.
package struct LoadLimits: Sendable, Equatable {
  /// The longest 99th percentile of whole runs.
  package var p99: Duration?
  /// The largest share of runs that fail, from 0 to 1, those of the ramp not counted.
  package var failed: Double?

  package init(p99: Duration? = nil, failed: Double? = nil) { (self.p99, self.failed) = (p99, failed) }

  /// What the report does not keep to, in sentences. A report without runs keeps to nothing.
  package func broken(by report: LoadReport) -> [String] {
    var broken: [String] = []
    if let p99 {
      let found = report.whole.percentile(99)
      if report.completed == 0 {
        broken.append("No run succeeded, so there is no p99.")
      } else if found > p99 {
        broken.append("The p99 is \(LoadReport.time(found)), more than \(LoadReport.time(p99)).")
      }
    }
    if let failed {
      let all = report.completed + report.failed
      let share = all == 0 ? 1 : Double(report.failed) / Double(all)
      if share > failed {
        broken.append(
          "\(report.failed) of \(all) runs failed, more than \(LoadReport.short(failed * 100)) %.")
      }
    }
    return broken
  }
}
