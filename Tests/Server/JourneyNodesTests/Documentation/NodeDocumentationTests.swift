import Foundation
import JourneyEngine
import JourneyNodes
import Testing

@Suite("The reference of node types") struct NodeDocumentationTests {
  private static let page = (1...5).reduce(URL(filePath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.appending(path: "docs/nodes.md")

  /// Nodes of other parties' services are made only where these are simulated.
  static func registry() async throws -> NodeRegistry {
    var services = try await World().services
    services.simulation = try ServiceSimulation([
      "protect=low", "captcha=true", "verify=success", "saml=NO_ACCOUNT",
    ])
    return NodeLibrary.registry(services: services)
  }

  private static func reference() async throws -> NodeReference { NodeReference(try await registry()) }

  @Test func `every type and every property that its code reads is described, and nothing else`() async throws
  {
    #expect(try await Self.reference().faults() == [])
  }

  /// `scripts/docs nodes` writes it.
  @Test func `the page says what the library does`() async throws {
    let text = try await Self.reference().page()
    if ProcessInfo.processInfo.environment["SEALRING_WRITE_DOCS"] == "1" {
      try text.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: Self.page, encoding: .utf8) == text, "run scripts/docs nodes")
  }

  /// Of identities, flow and devices; pages and inner journeys are the engine's own.
  private static let exported = """
    UsernameCollectorNode PasswordCollectorNode ValidatedUsernameNode ValidatedPasswordNode DataStoreDecisionNode
    IdentityStoreDecisionNode LdapDecisionNode ZeroPageLoginNode ScriptedDecisionNode AttributeCollectorNode
    IdentifyExistingUserNode PatchObjectNode CreateObjectNode RequiredAttributesDecisionNode AttributePresentDecisionNode
    AttributeValueDecisionNode QueryFilterDecisionNode IncrementLoginCountNode LoginCountDecisionNode
    RetryLimitDecisionNode AccountLockoutNode ChoiceCollectorNode MessageNode PollingWaitNode EmailSuspendNode
    OneTimePasswordGeneratorNode OneTimePasswordSmtpSenderNode OneTimePasswordCollectorDecisionNode
    AcceptTermsAndConditionsNode KbaCreateNode DisplayUserNameNode SessionDataNode SetPersistentCookieNode
    PersistentCookieDecisionNode ModifyAuthLevelNode AuthLevelDecisionNode SetSuccessUrlNode SetFailureUrlNode
    DeviceProfileCollectorNode DeviceSaveNode DeviceMatchNode AgentDataStoreDecisionNode AnonymousUserNode SelectIdPNode
    SocialProviderHandlerNode DeviceBindingNode DeviceSigningVerifierNode DeviceBindingStorageNode PushRegistrationNode
    CombinedMultiFactorRegistrationNode PushAuthenticationSenderNode PushWaitNode PushResultVerifierNode
    OathRegistrationNode OathTokenVerifierNode WebAuthnRegistrationNode WebAuthnAuthenticationNode
    WebAuthnDeviceStorageNode RecoveryCodeDisplayNode RecoveryCodeCollectorDecisionNode ConsentNode MetadataNode
    SetStateNode EmailTemplateNode CreatePasswordNode ProvisionDynamicAccountNode ProvisionIdmAccountNode
    AmsterJwtDecisionNode TimerStartNode TimerStopNode MeterNode SocialGoogleNode SocialFacebookNode SocialNode
    SocialOpenIdConnectNode SocialOAuthIgnoreProfileNode
    """

  @Test(arguments: exported.split(whereSeparator: \.isWhitespace).map(String.init))
  func `a type of node that teams' exports have is there`(type: String) async throws {
    #expect(NodeLibrary.registry(services: try await World().services).maker(for: type) != nil)
  }
}
