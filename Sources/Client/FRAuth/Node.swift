public import Foundation
internal import PingJourney
internal import PingJourneyPlugin
internal import PingOrchestrate

/// Receives a journey's progress: the session when it has succeeded, the next node when it continues, or the reason for its failure.
/// Called once, on no particular thread.
public typealias NodeCompletion<T> = @Sendable (_ result: T?, _ node: Node?, _ error: (any Error)?) -> Void

/// A step of a journey: answer its callbacks, then call ``next(completion:)``.
public final class Node: Sendable {
  /// The step's callbacks, in the server's order.
  public let callbacks: [Callback]
  /// The step's stage, for apps that choose a screen by it.
  public let stage: String?
  /// The page's heading.
  public let pageHeader: String?
  /// The page's explanation.
  public let pageDescription: String?

  private let step: ContinueNode

  /// - Throws: ``AuthError/invalidCallbackResponse(_:)`` when a callback lacks what it needs.
  init(_ step: ContinueNode) throws {
    self.step = step
    stage = step.input["stage"] as? String
    pageHeader = step.input["header"] as? String
    pageDescription = step.input["description"] as? String
    callbacks = try step.callbacks.map { try CallbackFactory.shared.callback(for: $0) }
  }

  /// Sends the answers, and reports the next step.
  ///
  /// - Parameter completion: Receives a ``Token`` as its result when the journey has succeeded.
  @preconcurrency public func next<T>(completion: @escaping NodeCompletion<T>) {
    let step = step
    Task { Self.report(await step.next(), to: completion) }
  }

  /// Reports `node` to `completion`.
  static func report<T>(_ node: any PingOrchestrate.Node, to completion: NodeCompletion<T>) {
    switch node {
    case let step as ContinueNode:
      do { completion(nil, try Node(step), nil) } catch { completion(nil, nil, error) }
    case let success as SuccessNode:
      let session = success.session as? any SSOToken
      let token = Token(
        value: success.session.value, successUrl: session?.successUrl ?? "", realm: session?.realm ?? "")
      FRSession.begin()
      guard let result = token as? T else {
        completion(nil, nil, AuthError.invalidGenericType)
        return
      }
      completion(result, nil, nil)
    case let refusal as ErrorNode:
      completion(nil, nil, AuthError.apiError(status: refusal.status, message: refusal.message))
    case let failure as FailureNode: completion(nil, nil, failure.cause)
    default:
      completion(
        nil, nil, AuthError.apiError(status: nil, message: "The server's answer was not understood."))
    }
  }
}

/// Why a journey did not continue.
public enum AuthError: LocalizedError, Hashable, Sendable {
  /// The server refused the step.
  case apiError(status: Int?, message: String)
  /// The completion asks for a result that journeys do not produce; it has to be `Token?`.
  case invalidGenericType
  /// A callback of the server is incomplete.
  case invalidCallbackResponse(String)

  public var errorDescription: String? {
    switch self {
    case .apiError(let status, let message):
      "The server refused the step\(status.map { " (\($0))" } ?? ""): \(message)"
    case .invalidGenericType:
      "A journey's result is a Token: write the completion's first parameter as Token?."
    case .invalidCallbackResponse(let reason): "The server's callback cannot be used: \(reason)"
    }
  }

  /// The reason, for the app's developer; never `nil`.
  public var failureReason: String? {
    switch self {
    case .apiError(_, let message): message
    case .invalidGenericType: "The completion asks for a result that journeys do not produce."
    case .invalidCallbackResponse(let reason): reason
    }
  }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? {
    switch self {
    case .apiError: "Start the journey again."
    case .invalidGenericType: "Write the completion's first parameter as Token?."
    case .invalidCallbackResponse: "Correct the journey, or update the app."
    }
  }
}
