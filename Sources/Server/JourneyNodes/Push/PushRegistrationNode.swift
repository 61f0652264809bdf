internal import JourneyEngine

/// Registers a device for push: shows the enrolment URI and waits until a device has answered it.
struct PushRegistrationNode: JourneyNode {
  let outcomes = PushEnrolment.outcomes
  let stateInputs = [StateKey.username]
  let stateOutputs = [PushState.recoveryCodes]
  private let enrolment: PushEnrolment

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    enrolment = try PushEnrolment(definition, services: services)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    try await enrolment.evaluate(&context, start: "pushauth://push")
  }
}
