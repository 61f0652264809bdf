internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Makes the client wait. With spam detection, too many posts before the time is over end the wait.
  func pollingWaitNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let seconds = try integer("secondsToWait", default: 8, in: 1...300, clamping: .both, instead: 8)
    let canExit = try flag("exitable", default: false, instead: false)
    let tolerance = try integer(
      "spamDetectionTolerance", default: 3, in: 0...1000, clamping: .both, instead: 0)
    let spamLimit = try flag("spamDetectionEnabled", default: false, instead: true) ? tolerance : nil
    let waiting = try localized("waitingMessage", builtIn: "Please wait...")
    let exit = try localized("exitMessage", builtIn: "Exit")
    return PlainNode(
      outcomes: ["DONE"] + (canExit ? ["EXITED"] : []) + (spamLimit == nil ? [] : ["SPAM"])
    ) { context in
      let (end, spam) = ("\(context.nodeID).end_time", "\(context.nodeID).spam_count")
      let isFirst = context.state.shared[end] == nil
      let wait = WaitingStep(seconds: seconds, buttonPlace: canExit ? 1 : nil, endVariable: end)
      switch wait.step(in: &context, now: services.clock()) {
      case .done:
        context.state.shared[spam] = nil
        return .outcome("DONE")
      case .exited:
        context.state.shared[spam] = nil
        return .outcome("EXITED")
      case .waits(let milliseconds):
        if let spamLimit, !isFirst {
          let early = (context.state.shared[spam]?.integerValue ?? 0) + 1
          guard early <= spamLimit else {
            context.state.shared[spam] = nil
            context.state.shared[end] = nil
            return context.outcome(
              "SPAM", because: "the client posted \(early) times before the time was over")
          }
          context.state.shared[spam] = .integer(early)
        }
        let locales = context.request.locales
        let text = waiting.text(for: locales).replacing("{{time}}", with: String(seconds))
        return .callbacks(
          [StandardCallback.polling(milliseconds: milliseconds, message: text)]
            + (canExit ? [StandardCallback.button(exit.text(for: locales))] : []))
      }
    }
  }
}
