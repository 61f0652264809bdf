internal import JourneyEngine
internal import StrictJSON

/// Has the client solve a CAPTCHA. Google's judgement is simulated (``ServiceSimulation``).
struct CaptchaNode: JourneyNode {
  let outcomes = ["true", "false"]
  private let decision: SimulatedDecision
  private let callback: OutgoingCallback

  /// The input with the client's token.
  private let token: String

  /// reCAPTCHA Enterprise, whose callback apps answer, too.
  init(enterprise definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    token = "token"
    callback = OutgoingCallback(
      type: "ReCaptchaEnterpriseCallback",
      outputs: Self.common(definition, script: "https://www.google.com/recaptcha/enterprise.js"),
      inputs: ["token", "action", "clientError", "payload"].map { .init($0, "") })
    decision = try SimulatedDecision(.captcha, definition, services)
  }

  /// reCAPTCHA and hCaptcha, for pages.
  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    func flag(_ name: String, _ standard: Bool) -> JSONValue {
      .bool(
        definition.forwarded(name, standard) { () throws(JourneyFileError) in
          try definition.flag(name, default: standard)
        })
    }
    token = ""
    callback = OutgoingCallback(
      type: "ReCaptchaCallback",
      outputs: Self.common(definition, script: "https://www.google.com/recaptcha/api.js") + [
        .init("reCaptchaV3", flag("reCaptchaV3", false)),
        .init("captchaDisableSubmission", flag("disableSubmission", true)),
      ], inputs: [.init("", "")])
    decision = try SimulatedDecision(.captcha, definition, services)
  }

  private static func common(_ definition: NodeDefinition, script: String) -> [OutgoingCallback.Field] {
    func text(_ name: String, _ standard: String) -> JSONValue {
      .string(
        definition.forwarded(name, standard) { () throws(JourneyFileError) in
          try definition.string(name, default: standard)
        })
    }
    return [
      .init("recaptchaSiteKey", text("siteKey", "")), .init("captchaApiUri", text("apiUri", script)),
      .init("captchaDivClass", text("divClass", "g-recaptcha")),
    ]
  }

  var warnings: [String] { [decision.warning] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let reply = context.reply else { return .callbacks([callback]) }
    if let error = SimulatedDecision.clientError(reply) { return context.outcome("false", because: error) }
    guard reply.text(token)?.isEmpty == false else {
      return context.outcome("false", because: "the client sent no token")
    }
    return await decision.take(decision.outcome, &context)
  }
}
