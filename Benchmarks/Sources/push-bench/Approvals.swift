import BenchmarkServer
import Foundation
import JourneyDriving
import NIOCore
import PushFormats
import Synchronization

/// What one stretch of approvals measured; durations in milliseconds, sorted.
struct Approvals: Sendable {
  let rate: Double
  let serverMicroseconds: Double
  /// From the device's answer being sent to the session token.
  let verdicts: [Double]
  /// From the start of the sign-in to the session token.
  let whole: [Double]

  /// Lets `concurrency` people sign in again and again for a time, each with the devices of a share of the fleet.
  ///
  /// One sign-in: start, name (sends the push), message on the device's stream, approval, page posted, session token.
  static func run(
    _ streams: [(device: Fleet.Device, stream: MessageStream)], concurrency: Int, seconds: Int,
    on server: ServerChild, group: any EventLoopGroup
  ) async throws -> Approvals {
    let port = server.port
    let before = server.processorTime
    let start = ContinuousClock.now
    let deadline = start + .seconds(seconds)
    let times = try await withThrowingTaskGroup(of: [(verdict: Double, whole: Double)].self) { people in
      for person in 0..<concurrency {
        people.addTask {
          let page = try await Connection.open(port: port, on: group)
          let phone = try await Connection.open(port: port, on: group)
          var times: [(verdict: Double, whole: Double)] = []
          var turn = person
          while ContinuousClock.now < deadline {
            let (device, stream) = streams[turn % streams.count]
            times.append(try await signIn(device, stream, page: page, phone: phone))
            turn += concurrency
          }
          await page.close()
          await phone.close()
          return times
        }
      }
      return try await people.reduce(into: []) { $0 += $1 }
    }
    let elapsed = start.duration(to: .now) / .seconds(1)
    let used = server.processorTime - before
    guard !times.isEmpty else { throw BenchError("nobody signed in within \(seconds) s") }
    return Approvals(
      rate: Double(times.count) / elapsed, serverMicroseconds: used * 1_000_000 / Double(times.count),
      verdicts: times.map(\.verdict).sorted(), whole: times.map(\.whole).sorted())
  }

  private static func signIn(
    _ device: Fleet.Device, _ stream: MessageStream, page: Connection, phone: Connection
  ) async throws -> (verdict: Double, whole: Double) {
    let begin = ContinuousClock.now
    let waiting = try await page.answer(try await page.start(Journeys.signIn), device.username)
    let delivery = try await stream.next()
    let message = try UnverifiedPushMessage(delivery.message).verified(with: device.device.secret)
    let body = try await device.device.answer(delivery.messageID, message)
    let approved = ContinuousClock.now
    _ = try await phone.post("\(Fleet.messages)?_action=authenticate", body)
    let end = try await page.answer(waiting, device.username)
    guard end.isEnd else { throw BenchError("a sign-in was refused") }
    let now = ContinuousClock.now
    return ((now - approved) / .milliseconds(1), (now - begin) / .milliseconds(1))
  }
}
