internal import JourneyEngine

extension NodeLibrary {
  /// Consent, provisioning and passwords of new accounts; what goes into state and out of it; measurements.
  static func accounts(_ services: NodeServices) -> [String: NodeRegistry.Maker] {
    [
      "ConsentNode": { try $0.consentNode(services) },
      "CreatePasswordNode": { try $0.createPasswordNode(services) },
      "ProvisionDynamicAccountNode": { $0.provisionAccountNode(services) },
      "ProvisionIdmAccountNode": { $0.provisionAccountNode(services) },
      "EmailTemplateNode": { try $0.emailTemplateNode(services) },
      "AmsterJwtDecisionNode": { try $0.amsterJwtDecisionNode() },
      "SetStateNode": { try $0.setStateNode() },
      "MetadataNode": { try $0.metadataNode() },
      "TimerStartNode": { try $0.timerStartNode(services) },
      "TimerStopNode": { try $0.timerStopNode(services) },
      "MeterNode": { try $0.meterNode(services) },
    ]
  }
}
