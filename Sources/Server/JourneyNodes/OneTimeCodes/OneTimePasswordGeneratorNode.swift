internal import Bytes
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Makes a one-time code (HOTP Generator), which a later node sends and another one checks. It never leaves the journey's sealed state by
  /// itself.
  func oneTimePasswordGeneratorNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let length = try integer("length", default: 8, in: 6...16, clamping: .up)
    return PlainNode(stateOutputs: [StateKey.oneTimePassword]) { context in
      var digits = ""
      while digits.utf8.count < length {
        // 250 is a multiple of 10, so that no digit is more likely than another.
        for byte in services.randomBytes(length) where byte < 250 && digits.utf8.count < length {
          digits += String(byte % 10)
        }
      }
      context.state.transient[StateKey.oneTimePassword] = .string(digits)
      context.state.transient[StateKey.oneTimePasswordTime] =
        .integer(services.clock().millisecondsSince1970)
      context.state.transient[StateKey.oneTimePasswordTries] = nil
      return .outcome("outcome")
    }
  }
}
