internal import JourneyEngine

extension NodeLibrary {
  /// Types whose work is done outside: by scripts of the node designer, by apps' devices, by other hosts, and by services that can only be
  /// simulated.
  static func outside(_ services: NodeServices) -> [String: NodeRegistry.Maker] {
    [
      "\(DesignedNodeType.prefix)*": { try DesignedNode($0, services: services) },
      "AppIntegrityNode": { try AppIntegrityNode($0, services: services) },
      "RESTNode": { try RESTNode($0, services: services) },
      "product-PingOneProtectInitializeNode": { try $0.protectInitializeNode(services) },
      "product-PingOneProtectEvaluationNode": { try $0.protectEvaluationNode(services) },
      "product-CaptchaEnterpriseNode": { try $0.captchaEnterpriseNode(services) },
      "product-CaptchaNode": { try $0.captchaNode(services) },
      "product-ReCaptchaNode": { try $0.captchaNode(services) },
      "CaptchaNode": { try $0.captchaNode(services) },
      "ReCaptchaNode": { try $0.captchaNode(services) },
      "product-Saml2Node": { try SimulatedNode(.saml, $0, services) },
      "PingOneVerify*": { try SimulatedNode(.verify, $0, services) },
      "product-PingOneVerify*": { try SimulatedNode(.verify, $0, services) },
    ]
  }

  /// The types that work only where their service is simulated (``ServiceSimulation``).
  package static let simulatedTypes: [String: ServiceSimulation.Service] = [
    "product-PingOneProtectInitializeNode": .protect, "product-PingOneProtectEvaluationNode": .protect,
    "product-CaptchaEnterpriseNode": .captcha, "product-CaptchaNode": .captcha,
    "product-ReCaptchaNode": .captcha, "CaptchaNode": .captcha, "ReCaptchaNode": .captcha,
    "product-Saml2Node": .saml, "PingOneVerify*": .verify, "product-PingOneVerify*": .verify,
  ]
}
