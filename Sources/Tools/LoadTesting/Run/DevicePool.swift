/// The devices that are not busy; each run takes the one that has waited longest.
actor DevicePool {
  private var free: [Int]
  /// How many at the front of `free` have been taken.
  private var taken = 0
  private var waiting: [CheckedContinuation<Taken?, Never>] = []
  private var isClosed = false

  /// Whether devices come back: those that enrol once do not.
  private let returns: Bool

  init(_ devices: some Sequence<Int>, returns: Bool) {
    free = Array(devices)
    self.returns = returns
  }

  /// A device that no other run uses, until it is given back.
  struct Taken: Sendable {
    let device: Int
    /// Whether all were busy.
    let hasWaited: Bool
  }

  /// The next device; waits while all are busy. `nil` when none will come back, or ``close()`` was called.
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
    // The part that was taken is dropped now and then, so that each device costs the same.
    if taken > 1024, taken > free.count / 2 {
      free.removeFirst(taken)
      taken = 0
    }
  }

  /// Nobody gets a device any more.
  func close() {
    isClosed = true
    for one in waiting { one.resume(returning: nil) }
    waiting = []
  }
}
