/// What the server measures, by the names that monitoring sees; they are an interface, and `docs/metrics.md` lists them.
///
/// Labels have few values: routes by their pattern, realms and journeys that exist, nodes by their type, the first names that journey files
/// choose (``JourneyMetricNames``). What a client chooses, such as a path, a user's name or an address, is never one.
package enum ServerMetric: String, CaseIterable, Sendable {
  case requests = "sealring_http_requests_total"
  case requestTime = "sealring_http_request_duration_seconds"
  case requestsRunning = "sealring_http_requests_running"
  case connections = "sealring_connections"
  case limitReached = "sealring_limit_reached_total"
  case journeysStarted = "sealring_journeys_started_total"
  case journeysEnded = "sealring_journeys_ended_total"
  case nodeTime = "sealring_node_duration_seconds"
  case nodeErrors = "sealring_node_errors_total"
  case journeyTimer = "sealring_journey_timer_seconds"
  case journeyMeter = "sealring_journey_meter_total"
  case securityEvents = "sealring_security_events_total"
  case passwordsWaiting = "sealring_passwords_waiting"
  case passwordWait = "sealring_password_wait_seconds"
  case storeWaiting = "sealring_store_waiting"
  case storeWaits = "sealring_store_waits_total"
  case storeWaitTime = "sealring_store_wait_seconds_total"
  case storeConnections = "sealring_store_connections"
  case pushMessages = "sealring_push_messages_total"
  case pushQueued = "sealring_push_queued"
  case pushListening = "sealring_push_listening"
  case ledgerHead = "sealring_ledger_head"
  case buildInfo = "sealring_build_info"
  case spans = "sealring_spans_total"
  case seriesRefused = "sealring_metrics_series_refused_total"
  case startTime = "process_start_time_seconds"
  case cpuTime = "process_cpu_seconds_total"
  case residentMemory = "process_resident_memory_bytes"
  case openFiles = "process_open_fds"
  case mostFiles = "process_max_fds"

  /// Prometheus's types.
  package enum Kind: String, Sendable, CaseIterable { case counter, gauge, histogram }

  package var kind: Kind {
    switch self {
    case .requestTime, .nodeTime, .journeyTimer, .passwordWait: .histogram
    case _ where rawValue.hasSuffix("_total"): .counter
    default: .gauge
    }
  }

  /// The labels' names.
  package var labels: [String] { form.labels }

  /// One sentence for `HELP` and for the table of `docs/metrics.md`.
  var help: String { form.help }

  private var form: (labels: [String], help: String) {
    switch self {
    case .requests: (["method", "route", "status"], "Requests that were answered.")
    case .requestTime: (["method", "route"], "Time from a request's head until its answer began.")
    case .requestsRunning: ([], "Requests whose answer has not begun.")
    case .connections: ([], "Open connections of clients.")
    case .limitReached: (["limit"], "Times that a limit was reached, by its name in docs/limits.md.")
    case .journeysStarted: (["realm", "journey"], "Journeys that clients have started.")
    case .journeysEnded:
      (["realm", "journey", "outcome"], "Journeys that reached an end: success, or failure.")
    case .nodeTime: (["node"], "Time that a node took for one visit.")
    case .nodeErrors: (["node"], "Visits in which a node could not do its work.")
    case .journeyTimer:
      (["timer"], "Time between a TimerStartNode and a TimerStopNode, by the name in the journey's file.")
    case .journeyMeter: (["meter"], "Visits of a MeterNode, by the name in the journey's file.")
    case .securityEvents: (["event", "outcome"], "Security events, as docs/events.md names them.")
    case .passwordsWaiting: ([], "Passwords that wait for a thread to be hashed or checked.")
    case .passwordWait: ([], "Time that a password waited for a thread.")
    case .storeWaiting:
      ([], "Writes that wait for a commit (SQLite), or acts that wait for a connection (PostgreSQL).")
    case .storeWaits: ([], "Writes, or acts, that have had their turn.")
    case .storeWaitTime: ([], "Time that writes, or acts, waited for their turn, in total.")
    case .storeConnections: (["state"], "Connections to PostgreSQL, idle or in use.")
    case .pushMessages:
      (["service", "outcome"], "Messages for push services: sent, retried, retired, failed, skipped.")
    case .pushQueued: (["service"], "Messages that wait for a push service.")
    case .pushListening: ([], "Devices that wait for messages at this server.")
    case .ledgerHead: ([], "Number of the newest entry of the evidence ledger.")
    case .buildInfo: (["version"], "1, with the version.")
    case .spans:
      (["outcome"], "Spans of traces: sent, or dropped because the collector did not take them in time.")
    case .seriesRefused:
      ([], "Values that were not kept because a metric had too many combinations of labels.")
    case .startTime: ([], "When the process started, in seconds since 1970.")
    case .cpuTime: ([], "Processor time that the process has used.")
    case .residentMemory: ([], "Memory of the process that is in RAM.")
    case .openFiles: ([], "Open file descriptors.")
    case .mostFiles: ([], "Most file descriptors that the process may open.")
    }
  }
}
