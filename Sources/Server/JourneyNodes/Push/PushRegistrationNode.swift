internal import JourneyEngine

/// Registers a device for push: shows the enrolment URI and waits until a device has answered it.
struct PushRegistrationNode: JourneyNode {
  let outcomes = PendingEnrolment.outcomes
  let stateInputs = [StateKey.username]
  let stateOutputs = [RecoveryCodeState.codes]
  private let enrolment: PendingEnrolment

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    enrolment = try PendingEnrolment(definition, services: services)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    try await enrolment.evaluate(&context)
  }
}
