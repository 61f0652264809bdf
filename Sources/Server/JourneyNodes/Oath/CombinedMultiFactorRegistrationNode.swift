internal import JourneyEngine

/// Registers one device for push and for one-time codes, with one QR code (reference push §7.3).
///
/// Both profiles are stored in the moment in which the device answers, or neither.
struct CombinedMultiFactorRegistrationNode: JourneyNode {
  let outcomes = PendingEnrolment.outcomes
  let stateInputs = [StateKey.username]
  let stateOutputs = [RecoveryCodeState.codes]
  private let enrolment: PendingEnrolment

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    enrolment = try PendingEnrolment(
      definition, services: services, oath: OathRegistration(definition, services: services))
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    try await enrolment.evaluate(&context)
  }
}
