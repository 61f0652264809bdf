public import JourneyEngine

/// The node types that this server knows. `PageNode` is the engine's own.
public enum NodeLibrary {
  /// Makers for all node types, working with `services`.
  public static func registry(services: NodeServices) -> NodeRegistry {
    NodeRegistry([
      "UsernameCollectorNode": { _ in CredentialCollectorNode(.username, prompt: "User Name") },
      "PasswordCollectorNode": { _ in CredentialCollectorNode(.password, prompt: "Password") },
      "ValidatedUsernameNode": { try CredentialCollectorNode(username: $0, services: services) },
      "ValidatedPasswordNode": { try CredentialCollectorNode(password: $0, services: services) },
      "DataStoreDecisionNode": { _ in DataStoreDecisionNode(services: services) },
      "IdentityStoreDecisionNode": { try IdentityStoreDecisionNode($0, services: services) },
      "IdentifyExistingUserNode": { try IdentifyExistingUserNode($0, services: services) },
      "ScriptedDecisionNode": { try ScriptedDecisionNode($0, services: services) },
      "ModifyAuthLevelNode": { try ModifyAuthLevelNode($0) },
      "AuthLevelDecisionNode": { try AuthLevelDecisionNode($0) },
      "StrongestFactorDecisionNode": { _ in StrongestFactorDecisionNode(services: services) },
      "SessionDataNode": { try SessionDataNode($0) },
      "SelectIdPNode": { try SelectIdPNode($0, federation: services.federation) },
      "SocialProviderHandlerNode": { try SocialProviderHandlerNode($0, federation: services.federation) },
      "ZeroPageLoginNode": { try ZeroPageLoginNode($0) },
      "LdapDecisionNode": { try LdapDecisionNode($0, services: services) },
      "AgentDataStoreDecisionNode": { _ in AgentDataStoreDecisionNode(services: services) },
      "AttributeCollectorNode": { try AttributeCollectorNode($0, services: services) },
      "CreateObjectNode": { try CreateObjectNode($0, services: services) },
      "PatchObjectNode": { try PatchObjectNode($0, services: services) },
      "RequiredAttributesDecisionNode": { try RequiredAttributesDecisionNode($0, services: services) },
      "AttributePresentDecisionNode": { try AttributePresentDecisionNode($0, services: services) },
      "AttributeValueDecisionNode": { try AttributeValueDecisionNode($0, services: services) },
      "QueryFilterDecisionNode": { try QueryFilterDecisionNode($0, services: services) },
      "IncrementLoginCountNode": { try IncrementLoginCountNode($0, services: services) },
      "LoginCountDecisionNode": { try LoginCountDecisionNode($0, services: services) },
      "DisplayUserNameNode": { try DisplayUserNameNode($0, services: services) },
      "AcceptTermsAndConditionsNode": { _ in AcceptTermsAndConditionsNode(services: services) },
      "KbaCreateNode": { try KbaCreateNode($0, services: services) },
      "EmailSuspendNode": { try EmailSuspendNode($0, services: services) },
      "OneTimePasswordGeneratorNode": { try OneTimePasswordGeneratorNode($0, services: services) },
      "OneTimePasswordSmtpSenderNode": { try OneTimePasswordSmtpSenderNode($0, services: services) },
      "OneTimePasswordCollectorDecisionNode": {
        try OneTimePasswordCollectorDecisionNode($0, services: services)
      },
      "RetryLimitDecisionNode": { try RetryLimitDecisionNode($0, services: services) },
      "ChoiceCollectorNode": { try ChoiceCollectorNode($0) },
      "MessageNode": { try MessageNode($0) },
      "AccountLockoutNode": { try AccountLockoutNode($0, services: services) },
      "AnonymousUserNode": { try AnonymousUserNode($0, services: services) },
      "SetSuccessUrlNode": { try SetDestinationNode(.success, $0) },
      "SetFailureUrlNode": { try SetDestinationNode(.failure, $0) },
      "SetSuccessDetailsNode": { try SetDetailsNode(.success, $0) },
      "SetFailureDetailsNode": { try SetDetailsNode(.failure, $0) },
      "SetPersistentCookieNode": { try SetPersistentCookieNode($0) },
      "PersistentCookieDecisionNode": { try PersistentCookieDecisionNode($0, services: services) },
      "DeviceSaveNode": { try DeviceSaveNode($0, services: services) },
      "DeviceMatchNode": { try DeviceMatchNode($0, services: services) },
      "DeviceBindingNode": { try DeviceBindingNode($0, services: services) },
      "DeviceBindingStorageNode": { try DeviceBindingStorageNode($0, services: services) },
      "DeviceSigningVerifierNode": { try DeviceSigningVerifierNode($0, services: services) },
      "TransactionCollectorNode": { try TransactionCollectorNode($0) },
      "PushRegistrationNode": { try PushRegistrationNode($0, services: services) },
      "PushAuthenticationSenderNode": { try PushAuthenticationSenderNode($0, services: services) },
      "PushWaitNode": { try PushWaitNode($0, services: services) },
      "PushResultVerifierNode": { _ in PushResultVerifierNode(services: services) },
      "DeviceProfileCollectorNode": { try DeviceProfileCollectorNode($0) },
      "PollingWaitNode": { try PollingWaitNode($0, services: services) },
      "WebAuthnRegistrationNode": { try WebAuthnRegistrationNode($0, services: services) },
      "WebAuthnAuthenticationNode": { try WebAuthnAuthenticationNode($0, services: services) },
      "WebAuthnDeviceStorageNode": { try WebAuthnDeviceStorageNode($0, services: services) },
      "CombinedMultiFactorRegistrationNode": {
        try PushRegistrationNode($0, services: services, oath: OathRegistration($0, services: services))
      },
      "OathRegistrationNode": { try OathRegistrationNode($0, services: services) },
      "OathDeviceStorageNode": { try OathDeviceStorageNode($0, services: services) },
      "OathTokenVerifierNode": { try OathTokenVerifierNode($0, services: services) },
      "RecoveryCodeDisplayNode": { _ in RecoveryCodeDisplayNode() },
      "RecoveryCodeCollectorDecisionNode": {
        try RecoveryCodeCollectorDecisionNode($0, services: services)
      },
      "OptOutMultiFactorAuthenticationNode": { _ in
        OptOutMultiFactorAuthenticationNode(services: services)
      },
    ])
    .adding(accounts(services)).adding(social(services.federation)).adding(outside(services))
  }
}
