internal import Bytes
internal import Foundation
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
          let early = min(Int64(spamLimit), context.state.shared[spam]?.integerValue ?? 0) + 1
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

  /// Makes the client wait while the person answers on the device; shows the number or code of the open message.
  func pushWaitNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let seconds = try integer("secondsToWait", default: 5, in: 1...300, clamping: .both, instead: 5)
    let waiting = try localized("waitingMessage", builtIn: "Waiting for response...")
    let challenge = try localized(
      "challengeMessage", builtIn: "Choose or enter ({{challenge}}) on your device to sign in")
    let exit = try localized("exitMessage", builtIn: "Cancel")
    return PlainNode(outcomes: ["DONE", "EXITED"], stepUse: .later) { context in
      let number = context.state[PushState.number]?.stringValue
      let locales = context.request.locales
      let text = (number == nil ? waiting : challenge).text(for: locales)
        .replacing("{{time}}", with: String(seconds)).replacing("{{challenge}}", with: number ?? "")
      let wait = WaitingStep(
        seconds: seconds, buttonPlace: number == nil ? 1 : 2, endVariable: "\(context.nodeID).end_time")
      let now = services.clock()
      switch wait.step(in: &context, now: now) {
      case .done: return .outcome("DONE")
      case .exited:
        return context.outcome("EXITED", because: "the person gave up waiting")
      case .waits(let milliseconds):
        // Until the open message ends; `nil` where no sender has said when that is.
        let secondsLeft = context.state[PushState.expiration]?.integerValue.map { end in
          Int((max(end, now.millisecondsSince1970) - now.millisecondsSince1970) / 1000)
        }
        var callbacks = [
          StandardCallback.polling(milliseconds: milliseconds, message: text, secondsLeft: secondsLeft)
        ]
        if let number { callbacks.append(StandardCallback.hidden(id: "pushChallengeNumber", value: number)) }
        return .callbacks(callbacks + [StandardCallback.button(exit.text(for: locales))])
      }
    }
  }
}

/// What waiting nodes share: an end in shared state, which survives answers without content.
struct WaitingStep {
  let seconds: Int

  /// The place of the exit button in the page; `nil` without one.
  let buttonPlace: Int?
  let endVariable: String

  enum Result {
    case waits(milliseconds: Int)
    case done, exited
  }

  /// Starts, continues or ends waiting; the first evaluation always waits.
  func step(in context: inout NodeContext, now: Date) -> Result {
    if let buttonPlace, context.reply?.isPressed(at: buttonPlace) == true {
      context.state.shared[endVariable] = nil
      return .exited
    }
    guard let end = context.state.shared[endVariable]?.integerValue else {
      context.state.shared[endVariable] = .integer(now.millisecondsSince1970 + Int64(seconds) * 1000)
      return .waits(milliseconds: seconds * 1000)
    }
    guard now.millisecondsSince1970 < end else {
      context.state.shared[endVariable] = nil
      return .done
    }
    return .waits(milliseconds: Int(max(100, min(end - now.millisecondsSince1970, Int64(seconds) * 1000))))
  }
}

extension NodeDefinition {
  /// Longest time that a node gives the person. Seconds.
  static let longestTimeLimit = 3600

  /// The property `timeout`: seconds that the person has; `nil` for 0, which PingAM exports where only the journey's own limit applies.
  func timeLimit() throws(JourneyFileError) -> Int? {
    let seconds = try integer(
      "timeout", default: 60, in: 0...Self.longestTimeLimit, clamping: .down, instead: 60)
    return seconds == 0 ? nil : seconds
  }
}
