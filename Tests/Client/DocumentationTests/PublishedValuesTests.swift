import PingBinding
import PingCommons
import PingFido
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingOath
import PingOrchestrate
import PingPush
import Testing

/// What a published property begins with, where our declaration does not show it because the property is computed or kept under a lock.
/// `scripts/check-api` reads such a value from here: Tests/API/reasons.txt names the line.
@Suite struct PublishedValuesTests {
  @Test func `a push configuration begins as the published one`() {
    #expect(PushConfiguration().encryptionEnabled == true)
    #expect(PushConfiguration().timeoutMs == 15000)
    #expect(PushConfiguration().enableCredentialCache == false)
    #expect(
      ObjectIdentifier(type(of: PushConfiguration().logger)) == ObjectIdentifier(type(of: LogManager.logger)))
    let handlers: PushHandlers = PushConfiguration().customPushHandlers
    #expect(handlers.isEmpty)
    let cleanup = PushConfiguration().notificationCleanupConfig
    #expect((cleanup.cleanupMode, cleanup.maxStoredNotifications) == (.countBased, 100))
    #expect(cleanup.maxNotificationAgeDays == 30)
  }

  @Test func `a binding callback and its configuration begin as the published ones`() {
    #expect(DeviceBindingCallback().deviceBindingAuthenticationType == .none)
    #expect(DeviceBindingCallback().attestation == .none)
    #expect(DeviceBindingConfig().timeout == 60)
    let prompt = AppPinConfig().prompt
    #expect((prompt.title, prompt.subtitle) == ("Enter PIN", ""))
    #expect(prompt.description == "Please enter your application PIN to continue.")
  }

  @Test func `callbacks begin empty`() {
    #expect(AbstractCallback().json.isEmpty)
    #expect(BooleanAttributeInputCallback().value == false)
    #expect(NumberAttributeInputCallback().value == 0.0)
    #expect(FidoRegistrationCallback().publicKeyCredentialCreationOptions.isEmpty)
    #expect(FidoAuthenticationCallback().publicKeyCredentialRequestOptions.isEmpty)
  }

  @Test func `a workflow logs where the program logs`() {
    #expect(
      ObjectIdentifier(type(of: WorkflowConfig().logger)) == ObjectIdentifier(type(of: LogManager.logger)))
  }

  @Test func `policies and one-time codes log where the program logs`() {
    #expect(
      ObjectIdentifier(type(of: MfaPolicyEvaluator.Config().logger))
        == ObjectIdentifier(type(of: LogManager.logger)))
    #expect(
      ObjectIdentifier(type(of: OathConfiguration().logger)) == ObjectIdentifier(type(of: LogManager.logger)))
  }
}
