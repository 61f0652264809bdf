internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
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
          max(0, Int((end - now.millisecondsSince1970) / 1000))
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
