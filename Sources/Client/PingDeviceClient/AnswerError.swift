internal import Foundation
internal import StrictJSON

/// What is wrong with an answer whose status promised something better.
enum AnswerError: LocalizedError {
  case notJSON
  case noResult

  var errorDescription: String? { failureReason }

  var failureReason: String? {
    switch self {
    case .notJSON: "It is not JSON."
    case .noResult: "It has no list \"result\"."
    }
  }

  var recoverySuggestion: String? { "Check that the address is PingAM's or a compatible server's." }
}

extension JSONValue {
  /// The records of a list that the server answers a query with.
  func listedRecords() throws(DeviceError) -> [JSONValue] {
    guard let records = self["result"]?.arrayValue else {
      throw .decodingFailed(error: AnswerError.noResult)
    }
    return records
  }
}
