internal import Accounts
internal import Bytes
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeDefinition {
  /// Asks for the one-time code, and compares it with the one that was made for this journey, which ends with the fifth wrong answer.
  func oneTimePasswordCollectorDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let minutes = Int64(try integer("passwordExpiryTime", default: 5, in: 1...1440, clamping: .down))
    // Wrong answers after which the code is invalid.
    let mostTries = 5
    return PlainNode(outcomes: ["true", "false"], stateInputs: [StateKey.oneTimePassword]) { context in
      guard let entered = context.reply?.text(), !entered.isEmpty, entered.utf8.count <= 64 else {
        return .callbacks([StandardCallback.password(prompt: "One Time Password")])
      }
      guard let code = context.state.transient[StateKey.oneTimePassword]?.stringValue,
        let moment = context.state.transient[StateKey.oneTimePasswordTime]?.integerValue
      else { return context.outcome("false", because: "no code was made in this journey") }
      let isRight = ConstantTime.areEqual(Array(entered.utf8), Array(code.utf8))
      let age = services.clock().millisecondsSince1970 - moment
      let isFresh = (0...(minutes * 60_000)).contains(age)
      if isRight, !isFresh { return context.outcome("false", because: "the code has expired") }
      // Whom the sender has mailed: the account need not be named by then.
      var name = context.state.username
      if name == nil {
        name = try await services.identity(in: &context, by: ManagedAttribute.userName)?.username
      }
      if let name {
        let lock = try await services.lock(.mailedCodes, of: name, in: context.request)
        guard try await lock.settle(isRight: isRight) else {
          return context.outcome("false", because: "the account is locked after too many failures")
        }
      }
      guard isRight else {
        let tries = (context.state.transient[StateKey.oneTimePasswordTries]?.integerValue ?? 0) + 1
        context.state.transient[StateKey.oneTimePasswordTries] = .integer(tries)
        if tries >= mostTries { context.state.transient[StateKey.oneTimePassword] = nil }
        return context.outcome("false", because: "the code is wrong")
      }
      context.state.transient[StateKey.oneTimePassword] = nil
      context.state.transient[StateKey.oneTimePasswordTime] = nil
      if context.state.username != nil {
        context.state.noteAuthentication(at: services.clock(), by: "one-time-code")
      }
      return .outcome("true")
    }
  }
}
