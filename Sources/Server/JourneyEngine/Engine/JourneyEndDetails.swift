public import StrictJSON

/// What nodes have set for the client to read at the end of a journey. In secure state, out of reach of scripts' generic access.
public enum JourneyEndDetails {
  public static let key = "journeyEndDetails"
  public static let success = "success"
  public static let failure = "failure"
  public static let message = "message"

  /// Where the client is to go, in shared state.
  public static let successURL = "successUrl"
  public static let failureURL = "failureUrl"

  /// Further members of the answer to a successful journey.
  public static func success(in state: JourneyState) -> JSONObject {
    state.secure[key]?[success]?.objectValue ?? JSONObject()
  }
}

extension JourneyFailure {
  /// Takes what nodes have set.
  mutating func note(_ state: JourneyState) {
    if let details = state.secure[JourneyEndDetails.key] {
      if let text = details[JourneyEndDetails.message]?.stringValue, !text.isEmpty { message = text }
      detail.merge(details[JourneyEndDetails.failure]?.objectValue ?? JSONObject())
    }
    if let url = state.shared[JourneyEndDetails.failureURL]?.stringValue {
      detail["failureUrl"] = .string(url)
    }
  }
}
