import DeviceKeys
import Foundation
import PingOrchestrate
import PingStorage
import Testing

@testable import PingBinding

/// What becomes of the old and the new key when the server has answered, or has not.
@Suite struct AnswerTests {
  /// How a journey goes on after the answer.
  enum Answer: CaseIterable, Sendable {
    case accepted, refused, unknown

    var node: any Node {
      switch self {
      case .accepted: SuccessNode(session: EmptySession())
      case .refused:
        ErrorNode(status: 401, message: "Login failure", context: FlowContext(flowContext: SharedContext()))
      case .unknown: FailureNode(cause: URLError(.networkConnectionLost))
      }
    }
  }

  /// A step of a journey that has `callback`.
  private func step(_ callback: DeviceBindingCallback) -> ContinueNode {
    let node = ContinueNode(
      context: FlowContext(flowContext: SharedContext()), workflow: Workflow.createWorkflow(), input: [:],
      actions: [callback])
    callback.continueNode = node
    return node
  }

  @Test(arguments: Answer.allCases)
  func `a re-bind replaces the key only when the server has taken the new one`(_ answer: Answer) async throws
  {
    let device = BindingDevice()
    await device.bind()
    let old = try #require(try await device.keys.first)
    let callback = bindingCallback()
    let step = step(callback)
    defer { withExtendedLifetime(step) {} }
    #expect(await device.bind(callback).status == nil)
    #expect(
      try await device.keys == [old], "until the server has answered, the old key is the one that signs")
    await callback.answered(with: answer.node)
    switch answer {
    case .accepted:
      #expect(try await device.keys.first != old)
      try await device.expectNothingLeftOver(count: 1)
    case .refused:
      #expect(try await device.keys == [old])
      try await device.expectNothingLeftOver(count: 1)
    case .unknown:
      #expect(try await device.keys == [old])
      #expect(
        try await device.privateKeyTags.count == 2, "the new key may be the one that the server knows")
    }
    _ = try await device.sign().token()
  }

  @Test(arguments: Answer.allCases)
  func `a first bind keeps the key unless the server refuses`(_ answer: Answer) async throws {
    let device = BindingDevice()
    let callback = bindingCallback()
    let step = step(callback)
    defer { withExtendedLifetime(step) {} }
    #expect(await device.bind(callback).status == nil)
    #expect(try await device.keys.count == 1, "the app sees the key at once")
    await callback.answered(with: answer.node)
    try await device.expectNothingLeftOver(count: answer == .refused ? 0 : 1)
  }

  @Test func `an answer that got lost can be given again`() async throws {
    let device = BindingDevice()
    await device.bind()
    let old = try #require(try await device.keys.first)
    let callback = bindingCallback()
    let step = step(callback)
    defer { withExtendedLifetime(step) {} }
    #expect(await device.bind(callback).status == nil)
    await callback.answered(with: Answer.unknown.node)
    await callback.answered(with: Answer.accepted.node)
    #expect(try await device.keys.first != old)
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test func `binding twice in one step leaves the second key only`() async throws {
    let device = BindingDevice()
    let callback = bindingCallback()
    let step = step(callback)
    defer { withExtendedLifetime(step) {} }
    #expect(await device.bind(callback).status == nil)
    let first = try #require(try await device.keys.first)
    #expect(await device.bind(callback).status == nil)
    await callback.answered(with: Answer.accepted.node)
    #expect(try await device.keys.first != first)
    try await device.expectNothingLeftOver(count: 1)
  }

  @Test(arguments: [true, false])
  func `a process that died waiting for the answer leaves a key that signs`(isRebind: Bool) async throws {
    let device = BindingDevice()
    if isRebind { await device.bind() }
    let old = try await device.keys.first
    let tag = "left by a dead process"
    _ = try await device.keyStore.createKey(tag: tag, protection: .none, unlock: .nothing)
    var left = UserKey(keyTag: tag, userId: mira, username: "mira", kid: "left", authType: .none)
    // No process has this number: Linux and Apple platforms stay far below it.
    left.state = .unconfirmed(processID: .max, until: .distantFuture)
    left.worker = ProcessMark(processID: .max, namespace: ProcessMark.own.namespace, start: nil)
    try await device.storage.save(item: (try await device.storage.get() ?? []) + [left])

    #expect(try await device.keys.map(\.kid) == [old?.kid ?? "left"])
    _ = try await device.sign().token()
    #expect(await device.bind().status == nil)
    try await device.expectNothingLeftOver(count: 1)
  }
}
