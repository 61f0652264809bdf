internal import JourneyEngine

extension NodeLibrary {
  /// Consent, provisioning and passwords of new accounts; what goes into state and out of it; measurements.
  static func accounts(_ services: NodeServices) -> [String: NodeRegistry.Maker] {
    [
      "ConsentNode": { try ConsentNode($0, services: services) },
      "CreatePasswordNode": { try CreatePasswordNode($0, services: services) },
      "ProvisionDynamicAccountNode": { ProvisionAccountNode($0, services: services) },
      "ProvisionIdmAccountNode": { ProvisionAccountNode($0, services: services) },
      "EmailTemplateNode": { try EmailTemplateNode($0, services: services) },
      "AmsterJwtDecisionNode": { try AmsterJwtDecisionNode($0) },
      "SetStateNode": { try SetStateNode($0) },
      "MetadataNode": { try MetadataNode($0) },
      "TimerStartNode": { try TimerStartNode($0, services: services) },
      "TimerStopNode": { try TimerStopNode($0, services: services) },
      "MeterNode": { try MeterNode($0, services: services) },
    ]
  }
}
