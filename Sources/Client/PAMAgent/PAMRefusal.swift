#if os(Linux)
  internal import Concurrency
  internal import DeviceKeys
  internal import Foundation

  /// Why a challenge is refused.
  struct PAMRefusal: Error {
    /// The word for the module: `unavailable` when nobody decided.
    let word: String
    /// The reason for the log.
    let reason: String

    init(_ reason: String, _ word: String = "refused") { (self.word, self.reason) = (word, reason) }
  }

  extension PAMChannel {
    /// Answers a challenge, and returns the text for the log.
    ///
    /// - Parameters:
    ///   - program: The program that asks, for the log.
    ///   - body: Returns the line for the module and the beginning of the log's text.
    func answer(
      _ request: PAMRequest, from program: String, _ body: () async throws -> (line: String, note: String)
    ) async -> String {
      let (line, note): (String, String)
      do { (line, note) = try await body() } catch let refusal as PAMRefusal {
        (line, note) = (refusal.word, "Refused, \(refusal.reason).")
      } catch DeviceKeyError.lockedOut {
        (line, note) = ("locked", "Refused, too many wrong PINs.")
      } catch is TimeIsUp {
        (line, note) = ("refused", "Refused, nobody answered in time.")
      } catch {
        (line, note) = ("unavailable", "Failed: \(error.localizedDescription)")
      }
      send(line)
      return "\(note) \(request.service) for \(request.user) by \(program): \(request.command)"
    }
  }
#endif
