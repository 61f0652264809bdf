internal import JourneyEngine
internal import StrictJSON

/// Makes the client wait. With spam detection, too many posts before the time is over end the wait.
struct PollingWaitNode: JourneyNode {
  private let services: NodeServices
  private let seconds: Int
  private let canExit: Bool
  private let spamLimit: Int?
  private let waiting: LocalizedText
  private let exit: LocalizedText

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    seconds = try definition.integer("secondsToWait", default: 8, in: 1...300, clamping: .both, instead: 8)
    canExit = try definition.flag("exitable", default: false, instead: false)
    let tolerance = try definition.integer(
      "spamDetectionTolerance", default: 3, in: 0...1000, clamping: .both, instead: 0)
    spamLimit = try definition.flag("spamDetectionEnabled", default: false, instead: true) ? tolerance : nil
    waiting = try definition.localized("waitingMessage", builtIn: "Please wait...")
    exit = try definition.localized("exitMessage", builtIn: "Exit")
  }

  var outcomes: [String] {
    ["DONE"] + (canExit ? ["EXITED"] : []) + (spamLimit == nil ? [] : ["SPAM"])
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let spamVariable = "\(context.nodeID).spam_count"
    let isFirst = context.state.shared["\(context.nodeID).end_time"] == nil
    var wait = WaitingStep(
      seconds: seconds, buttonPlace: canExit ? 1 : nil, endVariable: "\(context.nodeID).end_time")
    switch wait.step(in: &context, now: services.clock()) {
    case .done:
      context.state.shared[spamVariable] = nil
      return .outcome("DONE")
    case .exited:
      context.state.shared[spamVariable] = nil
      return .outcome("EXITED")
    case .waits(let milliseconds):
      if let spamLimit, !isFirst {
        let early = (context.state.shared[spamVariable]?.integerValue ?? 0) + 1
        guard early <= spamLimit else {
          context.state.shared[spamVariable] = nil
          context.state.shared["\(context.nodeID).end_time"] = nil
          return context.outcome("SPAM", because: "the client posted \(early) times before the time was over")
        }
        context.state.shared[spamVariable] = .integer(early)
      }
      let locales = context.request.locales
      let text = waiting.text(for: locales).replacing("{{time}}", with: String(seconds))
      return .callbacks(
        [StandardCallback.polling(milliseconds: milliseconds, message: text)]
          + (canExit ? [StandardCallback.button(exit.text(for: locales))] : []))
    }
  }
}
