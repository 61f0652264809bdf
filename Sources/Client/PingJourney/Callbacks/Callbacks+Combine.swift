#if canImport(Combine)
  public import Combine

  // SwiftUI views observe callbacks. These are the classes that an app may hold; their subclasses inherit the conformance.
  extension AbstractValidatedCallback: ObservableObject {}
  extension ChoiceCallback: ObservableObject {}
  extension ConfirmationCallback: ObservableObject {}
  extension ConsentMappingCallback: ObservableObject {}
  extension HiddenValueCallback: ObservableObject {}
  extension KbaCreateCallback: ObservableObject {}
  extension MetadataCallback: ObservableObject {}
  extension NameCallback: ObservableObject {}
  extension PasswordCallback: ObservableObject {}
  extension PollingWaitCallback: ObservableObject {}
  extension TermsAndConditionsCallback: ObservableObject {}
  extension TextInputCallback: ObservableObject {}
  extension TextOutputCallback: ObservableObject {}
#endif
