#if os(Linux)
  internal import Concurrency
  internal import DeviceKeys
  internal import Foundation

  /// Why a challenge is not answered as it asks.
  struct PAMRefusal: Error {
    /// What the module is told: `unavailable` when nobody decided.
    let word: String
    /// What is noted.
    let reason: String

    init(_ reason: String, _ word: String = "refused") { (self.word, self.reason) = (word, reason) }
  }

  extension PAMChannel {
    /// Answers a challenge; returns what is to be noted.
    ///
    /// - Parameters:
    ///   - program: What asks, for the note.
    ///   - body: What the module is told, and the note's beginning.
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
