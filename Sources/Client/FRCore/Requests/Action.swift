public import Foundation

/// The purpose of a request.
public enum ActionType: String, Sendable, CaseIterable {
  case START_AUTHENTICATE, AUTHENTICATE, RESUME_AUTHENTICATE, AUTHORIZE, EXCHANGE_TOKEN, REFRESH_TOKEN,
    REVOKE_TOKEN, LOGOUT, END_SESSION,
    USER_INFO, PUSH_REGISTER, PUSH_AUTHENTICATE, DELETE_BINDING
}

/// The purpose of a request, with its details.
// Immutable; the payload holds texts.
public final class Action: NSObject, @unchecked Sendable {
  /// The raw value of an ``ActionType``.
  public let type: String
  /// The journey's name as `tree`, and `service` as `type`, for requests of a journey.
  public let payload: [String: Any]?

  public init(type: ActionType, payload: [String: Any]? = nil) {
    self.type = type.rawValue
    self.payload = payload
  }
}
