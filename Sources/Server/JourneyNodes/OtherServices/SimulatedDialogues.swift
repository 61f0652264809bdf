internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Starts PingOne Protect's collection of signals in the client.
  func protectInitializeNode(_ services: NodeServices) throws(JourneyFileError) -> SimulatedNode {
    func field(_ name: String, _ standard: Bool) -> OutgoingCallback.Field {
      .init(name, forwardedFlag(name, standard))
    }
    let ignored = forwarded("deviceAttributesToIgnore", []) { () throws(JourneyFileError) in
      try strings("deviceAttributesToIgnore")
    }
    let host = forwardedText("customHost", "")
    let interval = forwarded("deviceKeyRsyncIntervals", 14) { () throws(JourneyFileError) in
      try integer("deviceKeyRsyncIntervals", default: 14, in: 0...100_000)
    }
    let callback = OutgoingCallback(
      type: "PingOneProtectInitializeCallback",
      outputs: [
        // The environment belongs to the worker, which no export has.
        .init("envId", ""), field("consoleLogEnabled", false),
        .init("deviceAttributesToIgnore", .array(ignored.map { .string($0) })), .init("customHost", host),
        field("lazyMetadata", false), field("behavioralDataCollection", true),
        .init("deviceKeyRsyncIntervals", .integer(Int64(interval))), field("enableTrust", false),
        field("disableTags", false), field("disableHub", false),
      ], inputs: [.init("clientError", "")])
    return try SimulatedNode(
      .protect, self, services, outcomes: ["true", "false"], asking: .init(callback: callback),
      outcome: { $0 == "clientError" ? "false" : "true" })
  }

  /// Asks for the client's signals, and takes the risk that the configuration has chosen for all clients.
  func protectEvaluationNode(_ services: NodeServices) throws(JourneyFileError) -> SimulatedNode {
    let callback = OutgoingCallback(
      type: "PingOneProtectEvaluationCallback",
      outputs: [.init("pauseBehavioralData", forwardedFlag("pauseBehavioralData", false))],
      inputs: [.init("signals", ""), .init("clientError", "")])
    return try SimulatedNode(
      .protect, self, services, outcomes: ServiceSimulation.Service.protect.outcomes,
      asking: .init(callback: callback, part: ("signals", "signals"), failure: "clientError"))
  }

  /// Has the client solve a CAPTCHA: reCAPTCHA and hCaptcha, for pages.
  func captchaNode(_ services: NodeServices) throws(JourneyFileError) -> SimulatedNode {
    let callback = OutgoingCallback(
      type: "ReCaptchaCallback",
      outputs: captchaOutputs(script: "https://www.google.com/recaptcha/api.js") + [
        .init("reCaptchaV3", forwardedFlag("reCaptchaV3", false)),
        .init("captchaDisableSubmission", forwardedFlag("disableSubmission", true)),
      ], inputs: [.init("", "")])
    return try captchaNode(callback, tokenInput: "", services)
  }

  /// Has the client solve a CAPTCHA of reCAPTCHA Enterprise, whose callback apps answer, too.
  func captchaEnterpriseNode(_ services: NodeServices) throws(JourneyFileError) -> SimulatedNode {
    let callback = OutgoingCallback(
      type: "ReCaptchaEnterpriseCallback",
      outputs: captchaOutputs(script: "https://www.google.com/recaptcha/enterprise.js"),
      inputs: ["token", "action", "clientError", "payload"].map { .init($0, "") })
    return try captchaNode(callback, tokenInput: "token", services)
  }

  private func captchaNode(
    _ callback: OutgoingCallback, tokenInput: String, _ services: NodeServices
  ) throws(JourneyFileError) -> SimulatedNode {
    try SimulatedNode(
      .captcha, self, services, outcomes: ServiceSimulation.Service.captcha.outcomes,
      asking: .init(callback: callback, part: (tokenInput, "token")))
  }

  private func captchaOutputs(script: String) -> [OutgoingCallback.Field] {
    [
      .init("recaptchaSiteKey", forwardedText("siteKey", "")),
      .init("captchaApiUri", forwardedText("apiUri", script)),
      .init("captchaDivClass", forwardedText("divClass", "g-recaptcha")),
    ]
  }

  private func forwardedFlag(_ property: String, _ standard: Bool) -> JSONValue {
    .bool(
      forwarded(property, standard) { () throws(JourneyFileError) in try flag(property, default: standard) })
  }

  private func forwardedText(_ property: String, _ standard: String) -> JSONValue {
    .string(
      forwarded(property, standard) { () throws(JourneyFileError) in try string(property, default: standard) }
    )
  }

  /// Reads a property that only the client or the service uses. A value that cannot be read does not stop the node.
  private func forwarded<Value>(
    _ property: String, _ standard: Value, _ read: () throws(JourneyFileError) -> Value
  ) -> Value {
    do throws(JourneyFileError) { return try read() } catch {
      repaired(property, error.problem, instead: "The default is sent to the client.")
      return standard
    }
  }
}
