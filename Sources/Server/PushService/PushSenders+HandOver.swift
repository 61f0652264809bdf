internal import JourneyStore

extension PushDelivery {
  /// How long a sender waits for transports to take its messages over. They should take none of it; one that does is not
  /// waited for.
  static let patience = Duration.seconds(1)

  /// Hands messages to the transports of their devices, all at once.
  ///
  /// - Returns: for each device that its transport could not take a message for, the reason. A transport that has not
  ///   said anything when `patience` is over goes on alone, and counts as having taken the message.
  func handOver(
    _ letters: [(item: PushInboxItem, device: PushDeviceRecord)], patience: Duration = Self.patience
  ) async -> [(device: PushDeviceRecord, reason: String)] {
    let (reports, source) = AsyncStream.makeStream(of: (PushDeviceRecord, String?)?.self)
    var open = 0
    for (item, device) in letters {
      // Devices with a transport may listen, too.
      direct.deliver(item, to: device)
      guard device.communicationType != Self.directType,
        let transport = transport(for: device.communicationType)
      else { continue }
      open += 1
      // Not a child of the sender's task, which must not wait for it.
      Task {
        do {
          try await transport.deliver(item, to: device)
          source.yield((device, nil))
        } catch { source.yield((device, "\(error)")) }
      }
    }
    guard open > 0 else { return [] }
    let timer = Task {
      try? await Task.sleep(for: patience)
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
