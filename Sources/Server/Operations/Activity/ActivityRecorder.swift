internal import Bytes
internal import Concurrency
package import Foundation
package import JourneyStore
package import Logging

/// Collects what requests have done, and stores it now and then. No request waits for it, and a crash loses a few seconds of plots.
///
/// The stored amount is bounded, however much happens: counts are exact, and failed runs are kept first.
package final class ActivityRecorder: Sendable {
  /// Bounds, by their names in docs/administration-pages.md.
  enum Bound {
    /// Runs under way that are watched at once.
    static let open = 5_000

    /// Ended runs that wait to be stored.
    static let waiting = 5_000

    /// Runs that are stored by one write, and how many of one account.
    static let perWrite = 200
    static let perAccount = 20

    /// Runs that this server stores in a day.
    static let perDay = 100_000

    /// Different counts that wait to be stored.
    static let counts = 20_000

    /// How long a run rests before its steps are stored. Seconds.
    static let pause: TimeInterval = 30
  }

  /// How often ``store(everything:)`` is called.
  package static let interval = Duration.seconds(5)

  fileprivate struct Key: Hashable {
    let realm: String
    let run: String
  }

  fileprivate struct CountKey: Hashable {
    let realm: String
    let series: ActivityCount.Series
    let minute: Int
    let label: Label
  }

  /// The label of a count. Its stored form is made only when it is stored.
  fileprivate enum Label: Hashable {
    case text(String)
    case edge(journey: String, node: String, outcome: String)

    var stored: String {
      switch self {
      case .text(let text): text
      case .edge(let journey, let node, let outcome):
        ActivityCount.edge(journey: journey, node: node, outcome: outcome)
      }
    }
  }

  fileprivate struct Waiting {
    var open: [Key: SignInAttempt] = [:]
    var ended: [SignInAttempt] = []
    var counts: [CountKey: Int] = [:]
    var day = 0
    var storedToday = 0
  }

  private let waiting = Locked(Waiting())
  /// Stores the collected activity.
  package let activity: StoredActivity
  private let clock: @Sendable () -> Date
  private let logger: Logger

  /// One write at a time, so that the parts of a run come in their order.
  private let turn = AsyncMutex()

  package init(activity: StoredActivity, clock: @escaping @Sendable () -> Date, logger: Logger) {
    self.activity = activity
    self.clock = clock
    self.logger = logger
  }

  /// Runs that are watched now.
  var openRuns: Int { waiting.withLock { $0.open.count } }

  /// Takes what a request has done.
  ///
  /// - Parameters:
  ///   - status: of its answer.
  ///   - time: until the answer began.
  package func note(_ trail: RequestTrail, status: Int, time: Duration) {
    guard !trail.isByWatcher else { return }
    let now = clock()
    let minute = ActivityCount.Grain.minute.period(of: now)
    let status = Status(status)
    guard let run = trail.journeyRun else {
      return waiting.withLock { $0.count("root", .requests, minute, .text(status.label)) }
    }
    let latency = ActivityCount.latencyLabel(milliseconds: time / .milliseconds(1))
    // The journey succeeded, but its person may not sign in.
    let state = run.state == .success && status.isRefusal ? .failure : run.state
    let attempt = SignInAttempt(
      realm: run.realm, run: run.id, journey: run.journey, account: run.account,
      startedAt: now, latest: now, state: state, steps: run.steps,
      reason: state == .failure ? run.reason : nil, address: run.address)
    waiting.withLock { waiting in
      waiting.count("root", .requests, minute, .text(status.label))
      waiting.count(run.realm, .latency, minute, .text(latency))
      for step in run.steps {
        guard let outcome = step.outcome, outcome != SignInAttempt.Step.asked else { continue }
        // Scripts choose outcomes freely, so a long one is cut before it waits.
        waiting.count(
          run.realm, .edges, minute,
          .edge(journey: step.journey, node: step.node, outcome: outcome.bounded(to: 120)))
      }
      if state != .open {
        waiting.count(run.realm, .signIns, minute, .text(state.rawValue))
        if state == .failure {
          waiting.count(
            run.realm, .refusals, minute, .text((run.steps.last?.type ?? "").bounded(to: 100)))
        }
      }
      waiting.note(attempt)
    }
  }

  /// The status of an answer.
  private struct Status {
    let isRefusal: Bool
    /// Its class, `2xx`.
    let label: String

    private static let labels = (0...9).map { "\($0)xx" }

    init(_ code: Int) {
      isRefusal = code >= 400
      label = Self.labels[min(max(code / 100, 0), 9)]
    }
  }

  /// Stores what waits.
  ///
  /// - Parameter everything: whether to store runs that continue, too: for a page that is opened now, and for the end of the server.
  package func store(everything: Bool) async {
    await turn.withLock {
      let now = clock()
      let (attempts, counts) = waiting.withLock { $0.take(now: now, everything: everything) }
      guard !attempts.isEmpty || !counts.isEmpty else { return }
      do { try await activity.note(attempts, Self.rows(counts)) } catch {
        logger.warning(
          "what has been going on could not be stored: plots and the paths of sign-ins have a gap",
          metadata: ["cause": "\(error)"])
        waiting.withLock { $0.giveBack(counts) }
      }
    }
  }

  /// A row for the minute, and one for the hour. Connections are counted by the hour only.
  private static func rows(_ counts: [CountKey: Int]) -> [ActivityCount] {
    var rows: [ActivityCount] = []
    var hours: [CountKey: Int] = [:]
    for (key, amount) in counts {
      let hour = key.minute - key.minute % ActivityCount.Grain.hour.rawValue
      let inHour = CountKey(realm: key.realm, series: key.series, minute: hour, label: key.label)
      hours[inHour, default: 0] += amount
      guard key.series != .edges else { continue }
      rows.append(
        ActivityCount(
          realm: key.realm, series: key.series, grain: .minute, period: key.minute, label: key.label.stored,
          amount: amount))
    }
    return rows
      + hours.map { key, amount in
        ActivityCount(
          realm: key.realm, series: key.series, grain: .hour, period: key.minute, label: key.label.stored,
          amount: amount)
      }
  }
}

extension ActivityRecorder.Waiting {
  fileprivate mutating func count(
    _ realm: String, _ series: ActivityCount.Series, _ minute: Int, _ label: ActivityRecorder.Label
  ) {
    let key = ActivityRecorder.CountKey(realm: realm, series: series, minute: minute, label: label)
    add(1, to: key)
  }

  private mutating func add(_ amount: Int, to key: ActivityRecorder.CountKey) {
    if let place = counts.index(forKey: key) {
      counts.values[place] += amount
    } else if counts.count < ActivityRecorder.Bound.counts {
      counts[key] = amount
    }
  }

  fileprivate mutating func note(_ part: SignInAttempt) {
    let key = ActivityRecorder.Key(realm: part.realm, run: part.run)
    var attempt = open.removeValue(forKey: key) ?? part
    if attempt != part { attempt.add(part) }
    if attempt.state == .open {
      if open.count < ActivityRecorder.Bound.open { open[key] = attempt }
    } else if ended.count < ActivityRecorder.Bound.waiting {
      ended.append(attempt)
    }
  }

  fileprivate mutating func take(
    now: Date, everything: Bool
  ) -> ([SignInAttempt], [ActivityRecorder.CountKey: Int]) {
    let today = Int(now.timeIntervalSince1970 / 86_400)
    if today != day { (day, storedToday) = (today, 0) }
    let resting = open.filter {
      everything || now.timeIntervalSince($0.value.latest) >= ActivityRecorder.Bound.pause
    }
    // Failed runs come first, because people ask for them.
    let candidates =
      ended.filter { $0.state == .failure } + ended.filter { $0.state != .failure }
      + resting.values.sorted { $0.latest < $1.latest }
    var (taken, left, ofAccount): ([SignInAttempt], [SignInAttempt], [String: Int]) = ([], [], [:])
    for attempt in candidates {
      let account = "\(attempt.realm) \(attempt.account ?? attempt.run)"
      guard taken.count < ActivityRecorder.Bound.perWrite,
        storedToday + taken.count < ActivityRecorder.Bound.perDay,
        ofAccount[account, default: 0] < ActivityRecorder.Bound.perAccount
      else {
        left.append(attempt)
        continue
      }
      ofAccount[account, default: 0] += 1
      taken.append(attempt)
    }
    storedToday += taken.count
    // A page that is opened in between leaves what the next regular turn stores.
    ended = everything ? left.filter { $0.state != .open } : []
    let gone = everything ? taken : Array(resting.values)
    for attempt in gone { open[ActivityRecorder.Key(realm: attempt.realm, run: attempt.run)] = nil }
    defer { counts = [:] }
    return (taken, counts)
  }

  fileprivate mutating func giveBack(_ earlier: [ActivityRecorder.CountKey: Int]) {
    for (key, amount) in earlier { add(amount, to: key) }
  }
}
