internal import Logging

extension Logger.MetadataProvider {
  /// The ids of the request and of the journey's run that the current task works for, on each of its lines.
  static let request = Logger.MetadataProvider {
    guard let trail = RequestTrail.current else { return [:] }
    var metadata: Logger.Metadata = ["requestId": "\(trail.requestID)"]
    if let journey = trail.journeyID { metadata["journeyId"] = "\(journey)" }
    return metadata
  }
}
