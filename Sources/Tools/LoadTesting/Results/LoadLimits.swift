/// The limits of a load, so that CI can reject a slower version.
package struct LoadLimits: Sendable, Equatable {
  /// The longest 99th percentile of whole runs.
  package var p99: Duration?
  /// The largest share of failed runs, from 0 to 1, not counting the ramp.
  package var failed: Double?

  package init(p99: Duration? = nil, failed: Double? = nil) { (self.p99, self.failed) = (p99, failed) }

  /// Sentences about the limits that the report exceeds. A report without runs exceeds all limits.
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
