internal import PingJourneyPlugin

/// The callbacks that every journey knows.
enum CoreCallbacks: CallbackProvider {
  private static let types: [String: any Callback.Type] = [
    JourneyConstants.booleanAttributeInputCallback: BooleanAttributeInputCallback.self,
    JourneyConstants.choiceCallback: ChoiceCallback.self,
    JourneyConstants.confirmationCallback: ConfirmationCallback.self,
    JourneyConstants.consentMappingCallback: ConsentMappingCallback.self,
    JourneyConstants.hiddenValueCallback: HiddenValueCallback.self,
    JourneyConstants.kbaCreateCallback: KbaCreateCallback.self,
    JourneyConstants.metadataCallback: MetadataCallback.self,
    JourneyConstants.nameCallback: NameCallback.self,
    JourneyConstants.numberAttributeInputCallback: NumberAttributeInputCallback.self,
    JourneyConstants.passwordCallback: PasswordCallback.self,
    JourneyConstants.pollingWaitCallback: PollingWaitCallback.self,
    JourneyConstants.stringAttributeInputCallback: StringAttributeInputCallback.self,
    JourneyConstants.suspendedTextOutputCallback: SuspendedTextOutputCallback.self,
    JourneyConstants.termsAndConditionsCallback: TermsAndConditionsCallback.self,
    JourneyConstants.textInputCallback: TextInputCallback.self,
    JourneyConstants.textOutputCallback: TextOutputCallback.self,
    JourneyConstants.validatedPasswordCallback: ValidatedPasswordCallback.self,
    JourneyConstants.validatedUsernameCallback: ValidatedUsernameCallback.self,
  ]

  static func registerCallbacks() {
    for (type, callback) in types { CallbackRegistry.shared.registerIfAbsent(type: type, callback: callback) }
  }
}
