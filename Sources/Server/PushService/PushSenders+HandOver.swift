package import JourneyStore

extension PushSenders {
  /// How long a sign-in waits for senders to take its messages. They should need no time; one that does is not waited for.
  package static let handOverLimit = Duration.seconds(1)

  /// Hands messages to the senders of their devices, all at once.
  ///
  /// - Returns: for each device that its sender could not take a message for, the reason. A sender that has not answered
  ///   within `limit` goes on alone, and counts as having taken the message.
  package func handOver(
    _ outgoing: [(item: PushInboxItem, device: PushDeviceRecord)], limit: Duration = Self.handOverLimit
  ) async -> [(device: PushDeviceRecord, reason: String)] {
    let (reports, source) = AsyncStream.makeStream(of: (PushDeviceRecord, String?)?.self)
    var open = 0
    for (item, device) in outgoing {
      // Devices with another sender may listen, too.
      direct.deliver(item, to: device)
      guard device.communicationType != Self.directType,
        let sender = sender(for: device.communicationType)
      else { continue }
      open += 1
      // Not a child of this task, which must not wait for it.
      Task {
        do {
          try await sender.deliver(item, to: device)
          source.yield((device, nil))
        } catch { source.yield((device, "\(error)")) }
      }
    }
    guard open > 0 else { return [] }
    let timer = Task {
      try? await Task.sleep(for: limit)
      source.yield(nil)
    }
    defer { timer.cancel() }
    var failures: [(device: PushDeviceRecord, reason: String)] = []
    for await report in reports {
      guard let (device, reason) = report else { break }
      if let reason { failures.append((device, reason)) }
      open -= 1
      if open == 0 { break }
    }
    return failures
  }
}
