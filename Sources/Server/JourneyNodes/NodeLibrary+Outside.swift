internal import JourneyEngine

extension NodeLibrary {
  /// Types whose work is done outside: by scripts of the node designer, by apps' devices, by other hosts, and by services that can only be
  /// simulated.
  static func outside(_ services: NodeServices) -> [String: NodeRegistry.Maker] {
    [
      "\(DesignedNodeType.prefix)*": { try DesignedNode($0, services: services) },
      "AppIntegrityNode": { try AppIntegrityNode($0, services: services) },
      "RESTNode": { try RESTNode($0, services: services) },
      "product-PingOneProtectInitializeNode": { try ProtectInitializeNode($0, services: services) },
      "product-PingOneProtectEvaluationNode": { try ProtectEvaluationNode($0, services: services) },
      "product-CaptchaEnterpriseNode": { try CaptchaNode(enterprise: $0, services: services) },
      "product-CaptchaNode": { try CaptchaNode($0, services: services) },
      "product-ReCaptchaNode": { try CaptchaNode($0, services: services) },
      "CaptchaNode": { try CaptchaNode($0, services: services) },
      "ReCaptchaNode": { try CaptchaNode($0, services: services) },
      "product-Saml2Node": { try SimulatedNode(.saml, $0, services: services) },
      "PingOneVerify*": { try SimulatedNode(.verify, $0, services: services) },
      "product-PingOneVerify*": { try SimulatedNode(.verify, $0, services: services) },
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
