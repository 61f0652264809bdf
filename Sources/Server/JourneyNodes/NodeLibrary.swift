public import JourneyEngine

/// The node types that this server knows. `PageNode` is the engine's own.
public enum NodeLibrary {
  /// Makers for all node types, working with `services`.
  public static func registry(services: NodeServices) -> NodeRegistry {
    NodeRegistry([
      "UsernameCollectorNode": { _ in PlainNode.credentialCollector(.username, prompt: "User Name") },
      "PasswordCollectorNode": { _ in PlainNode.credentialCollector(.password, prompt: "Password") },
      "ValidatedUsernameNode": { try $0.validatedUsernameNode(services) },
      "ValidatedPasswordNode": { try $0.validatedPasswordNode(services) },
      "DataStoreDecisionNode": { $0.dataStoreDecisionNode(services) },
      "IdentityStoreDecisionNode": { try IdentityStoreDecisionNode($0, services: services) },
      "IdentifyExistingUserNode": { try $0.identifyExistingUserNode(services) },
      "ScriptedDecisionNode": { try ScriptedDecisionNode($0, services: services) },
      "ModifyAuthLevelNode": { try $0.modifyAuthLevelNode() },
      "AuthLevelDecisionNode": { try $0.authLevelDecisionNode() },
      "StrongestFactorDecisionNode": { $0.strongestFactorDecisionNode(services) },
      "SessionDataNode": { try $0.sessionDataNode() },
      "SelectIdPNode": { try $0.selectIdPNode(services.federation) },
      "SocialProviderHandlerNode": { try SocialProviderHandlerNode($0, federation: services.federation) },
      "ZeroPageLoginNode": { try $0.zeroPageLoginNode() },
      "LdapDecisionNode": { try $0.ldapDecisionNode(services) },
      "AgentDataStoreDecisionNode": { $0.agentDataStoreDecisionNode(services) },
      "AttributeCollectorNode": { try $0.attributeCollectorNode(services) },
      "CreateObjectNode": { try $0.createObjectNode(services) },
      "PatchObjectNode": { try $0.patchObjectNode(services) },
      "RequiredAttributesDecisionNode": { try $0.requiredAttributesDecisionNode(services) },
      "AttributePresentDecisionNode": { try $0.attributePresentDecisionNode(services) },
      "AttributeValueDecisionNode": { try $0.attributeValueDecisionNode(services) },
      "QueryFilterDecisionNode": { try $0.queryFilterDecisionNode(services) },
      "IncrementLoginCountNode": { try $0.incrementLoginCountNode(services) },
      "LoginCountDecisionNode": { try $0.loginCountDecisionNode(services) },
      "DisplayUserNameNode": { try $0.displayUserNameNode(services) },
      "AcceptTermsAndConditionsNode": { $0.acceptTermsAndConditionsNode(services) },
      "KbaCreateNode": { try $0.kbaCreateNode(services) },
      "EmailSuspendNode": { try $0.emailSuspendNode(services) },
      "OneTimePasswordGeneratorNode": { try $0.oneTimePasswordGeneratorNode(services) },
      "OneTimePasswordSmtpSenderNode": { try $0.oneTimePasswordSmtpSenderNode(services) },
      "OneTimePasswordCollectorDecisionNode": { try $0.oneTimePasswordCollectorDecisionNode(services) },
      "RetryLimitDecisionNode": { try $0.retryLimitDecisionNode(services) },
      "ChoiceCollectorNode": { try $0.choiceCollectorNode() },
      "MessageNode": { try $0.messageNode() },
      "AccountLockoutNode": { try $0.accountLockoutNode(services) },
      "AnonymousUserNode": { try $0.anonymousUserNode(services) },
      "SetSuccessUrlNode": { try $0.setDestinationNode(JourneyEndDetails.successURL) },
      "SetFailureUrlNode": { try $0.setDestinationNode(JourneyEndDetails.failureURL) },
      "SetSuccessDetailsNode": { try $0.setDetailsNode(JourneyEndDetails.success) },
      "SetFailureDetailsNode": { try $0.setDetailsNode(JourneyEndDetails.failure) },
      "SetPersistentCookieNode": { try $0.setPersistentCookieNode() },
      "PersistentCookieDecisionNode": { try $0.persistentCookieDecisionNode(services) },
      "DeviceSaveNode": { try $0.deviceSaveNode(services) },
      "DeviceMatchNode": { try $0.deviceMatchNode(services) },
      "DeviceBindingNode": { try DeviceBindingNode($0, services: services) },
      "DeviceBindingStorageNode": { try $0.deviceBindingStorageNode(services) },
      "DeviceSigningVerifierNode": { try DeviceSigningVerifierNode($0, services: services) },
      "TransactionCollectorNode": { try $0.transactionCollectorNode() },
      "PushRegistrationNode": { try PushRegistrationNode($0, services: services) },
      "PushAuthenticationSenderNode": { try PushAuthenticationSenderNode($0, services: services) },
      "PushWaitNode": { try $0.pushWaitNode(services) },
      "PushResultVerifierNode": { _ in PushResultVerifierNode(services: services) },
      "DeviceProfileCollectorNode": { try $0.deviceProfileCollectorNode() },
      "PollingWaitNode": { try $0.pollingWaitNode(services) },
      "WebAuthnRegistrationNode": { try WebAuthnRegistrationNode($0, services: services) },
      "WebAuthnAuthenticationNode": { try WebAuthnAuthenticationNode($0, services: services) },
      "WebAuthnDeviceStorageNode": { try $0.webAuthnDeviceStorageNode(services) },
      "CombinedMultiFactorRegistrationNode": {
        try PushRegistrationNode($0, services: services, oath: OathRegistration($0, services: services))
      },
      "OathRegistrationNode": { try OathRegistrationNode($0, services: services) },
      "OathDeviceStorageNode": { try $0.oathDeviceStorageNode(services) },
      "OathTokenVerifierNode": { try OathTokenVerifierNode($0, services: services) },
      "RecoveryCodeDisplayNode": { $0.recoveryCodeDisplayNode() },
      "RecoveryCodeCollectorDecisionNode": { try $0.recoveryCodeCollectorDecisionNode(services) },
      "OptOutMultiFactorAuthenticationNode": { $0.optOutMultiFactorAuthenticationNode(services) },
    ])
    .adding(accounts(services)).adding(social(services.federation)).adding(outside(services))
  }
}

extension NodeLibrary {
  /// Nodes for consent, provisioning and passwords of new accounts, for setting and showing state, and for measurements.
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

  /// Social nodes from before SocialProviderHandlerNode.
  static func social(_ federation: FederationServices?) -> [String: NodeRegistry.Maker] {
    let node: NodeRegistry.Maker = { try SocialNode($0, federation: federation) }
    return [
      "SocialGoogleNode": node, "SocialFacebookNode": node, "SocialNode": node,
      "SocialOpenIdConnectNode": node, "SocialOAuthIgnoreProfileNode": { _ in PlainNode.ignoreProfile },
    ]
  }

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
}
