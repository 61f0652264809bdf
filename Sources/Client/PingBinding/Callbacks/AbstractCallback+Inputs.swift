internal import PingJourneyPlugin
internal import PingLogger

extension AbstractCallback {
  /// Puts `value` into the input whose name ends with `suffix`: names begin with `IDToken` and the callback's place.
  func setInput(_ suffix: String, to value: String, logger: any Logger) {
    let inputs = json[JourneyConstants.input] as? [[String: Any]] ?? []
    let names = inputs.compactMap { $0[JourneyConstants.name] as? String }
    guard let name = names.first(where: { $0.hasSuffix(suffix) }) else {
      logger.w("The server's callback has no input \(suffix), so its value is not sent", error: nil)
      return
    }
    _ = input(value, forKey: name)
  }
}
