/// The idle devices; each run takes the one that has been idle longest.
actor DevicePool {
  private var free: [Int]
  /// The number of devices at the front of `free` that have been taken.
  private var taken = 0
  private var waiting: [CheckedContinuation<Taken?, Never>] = []
  private var isClosed = false

  /// Whether devices are reused; devices that enrol once are not.
  private let returns: Bool

  init(_ devices: some Sequence<Int>, returns: Bool) {
    free = Array(devices)
    self.returns = returns
  }

  /// A device that no other run uses until it is returned.
  struct Taken: Sendable {
    let device: Int
    /// Whether all devices were busy.
    let hasWaited: Bool
  }

  /// Takes the next device, and waits while all are busy. Returns `nil` when none will be returned, or after ``close()``.
  func take() async -> Taken? {
    if isClosed { return nil }
    if taken < free.count {
      defer { taken += 1 }
      return Taken(device: free[taken], hasWaited: false)
    }
    guard returns else { return nil }
    return await withCheckedContinuation { waiting.append($0) }
  }

  func give(back device: Int) {
    guard returns else { return }
    if !waiting.isEmpty {
      return waiting.removeFirst().resume(returning: Taken(device: device, hasWaited: true))
    }
    free.append(device)
    // The taken part is dropped only now and then, so that the cost per device stays constant.
    if taken > 1024, taken > free.count / 2 {
      free.removeFirst(taken)
      taken = 0
    }
  }

  /// Ends the pool: nobody gets a device any more.
  func close() {
    isClosed = true
    for one in waiting { one.resume(returning: nil) }
    waiting = []
  }
}
