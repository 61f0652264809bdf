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
      "SessionDataNode": { try SessionDataNode($0) },
      "ZeroPageLoginNode": { try ZeroPageLoginNode($0) },
      "DeviceBindingNode": { try DeviceBindingNode($0, services: services) },
      "DeviceBindingStorageNode": { _ in DeviceBindingStorageNode(services: services) },
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
      "OathDeviceStorageNode": { _ in OathDeviceStorageNode(services: services) },
      "OathTokenVerifierNode": { try OathTokenVerifierNode($0, services: services) },
      "RecoveryCodeDisplayNode": { _ in RecoveryCodeDisplayNode() },
      "RecoveryCodeCollectorDecisionNode": {
        try RecoveryCodeCollectorDecisionNode($0, services: services)
      },
      "OptOutMultiFactorAuthenticationNode": { _ in
        OptOutMultiFactorAuthenticationNode(services: services)
      },
    ])
  }
}
