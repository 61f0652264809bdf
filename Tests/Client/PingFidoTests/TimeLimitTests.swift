import Foundation
import PingFido
import PingJourney
import Testing
import CommonFixtures

/// People and apps that never answer.
@Suite struct TimeLimitTests {
  @Test func `a consent that never comes ends with the time limit, and a late one counts no more`()
    async throws
  {
    let (clock, asked) = (ManualClock(), Signal())
    let device = PasskeyDevice(consent: Silence { asked.fire() }, clock: clock)
    let step = try await Step(Data71.registration())
    let callback = try step.registration(device)
    let task = Task { await callback.register(window: PresentationAnchor()).isTimeout }
    await asked.wait()
    clock.advance(by: .seconds(59))
    clock.advance(by: .seconds(1))
    #expect(await task.value)
    #expect(step.hidden.value == "ERROR::TimeoutError:The time for this step ran out.")
    #expect(try await device.keys.isEmpty)
  }

  @Test func `cancelling the task ends it at once`() async throws {
    let asked = Signal()
    let device = PasskeyDevice(consent: Silence { asked.fire() })
    let step = try await Step(Data71.registration())
    let callback = try step.registration(device)
    let task = Task { await callback.register(window: PresentationAnchor()).isCancelled }
    await asked.wait()
    task.cancel()
    #expect(await task.value)
    #expect(step.hidden.value == "ERROR::NotAllowedError:The operation was canceled.")
  }

  @Test(arguments: [(1, 5), (5000, 5), (60_000, 60), (9_000_000, 300), (0, 60), (-3, 60)])
  func `limits are from 5 to 300 seconds, and 60 when there is none`(milliseconds: Int, seconds: Int)
    async throws
  {
    let (clock, asked) = (ManualClock(), Signal())
    let device = PasskeyDevice(consent: Silence { asked.fire() }, clock: clock)
    let step = try await Step(Data71.registration(["timeout": String(milliseconds)]))
    let callback = try step.registration(device)
    let ended = Signal()
    let task = Task {
      let isTimeout = await callback.register(window: PresentationAnchor()).isTimeout
      ended.fire()
      return isTimeout
    }
    await asked.wait()
    clock.advance(by: .milliseconds(seconds * 1000 - 1))
    #expect(step.hidden.value == "false")
    clock.advance(by: .milliseconds(1))
    await ended.wait()
    #expect(await task.value)
  }
}

extension Result<[String: Any], any Error> {
  var isTimeout: Bool {
    if case .failure(FidoError.timeout) = self { true } else { false }
  }
  var isCancelled: Bool {
    if case .failure(WebAuthnError.cancelled) = self { true } else { false }
  }
}
