internal import Bytes

/// A security key's side of CTAPHID (CTAP 2.1 §11.2): channels, messages from packets, one transaction at a time.
///
/// It is a pure state machine: it takes packets, times and finished requests, and returns effects. Times are counted from any fixed
/// moment.
package struct CTAPHIDTransport: Sendable {
  /// An effect that the caller has to perform.
  package enum Effect: Sendable, Hashable {
    case send(CTAPHIDMessage)
    /// Performs a CTAP2 request, which is answered by ``finish(_:with:)`` with this transaction's number.
    case perform(transaction: Int, channel: UInt32, request: [UInt8])
    /// Cancels the request that is being performed, which is finished all the same.
    case cancel
    /// A client asks the key to show which one it is.
    case wink
  }

  /// How many channels there are at once; the one that was quiet for longest makes room for a new one.
  package static let maximumChannels = 64
  /// The longest wait for the next packet of a message (§11.2.5.2).
  package static let packetTime = Duration.milliseconds(500)

  private struct Assembly {
    let channel: UInt32
    let command: UInt8
    let length: Int
    var data: [UInt8]
    var next: UInt8 = 0
    var deadline: Duration
  }

  private struct Transaction {
    let number: Int
    let channel: UInt32
  }

  /// The device's version: major, minor and build.
  private static let version: [UInt8] = [1, 0, 0]
  /// The channels, the most recently used last.
  private var channels: [UInt32] = []
  private var lastChannel: UInt32 = 0
  private var assembly: Assembly?
  private var transaction: Transaction?
  private var transactions = 0

  package init() {}

  /// The time at which ``tick(at:)`` has something to do; `nil` when nothing is pending.
  package var deadline: Duration? { assembly?.deadline }

  /// The transaction that is being performed.
  package var performing: Int? { transaction?.number }

  /// Takes a report from a client. A report that is not a packet is dropped.
  package mutating func receive(_ report: [UInt8], at now: Duration) -> [Effect] {
    let late = tick(at: now)
    return switch CTAPHIDPacket(parsing: report) {
    case .initial(let channel, let command, let length, let data):
      late + begin(channel, command, length, data, at: now)
    case .continuation(let channel, let sequence, let data):
      late + append(channel, sequence, data, at: now)
    case nil: late
    }
  }

  /// Gives up a message whose next packet did not come in time.
  package mutating func tick(at now: Duration) -> [Effect] {
    guard let waiting = assembly, now >= waiting.deadline else { return [] }
    assembly = nil
    return [.send(.failure(.timeout, on: waiting.channel))]
  }

  /// Answers a request. Returns nothing when its channel was synchronised meanwhile.
  package mutating func finish(_ number: Int, with reply: [UInt8]) -> [Effect] {
    guard let active = transaction, active.number == number else { return [] }
    transaction = nil
    return [.send(CTAPHIDMessage(channel: active.channel, command: .cbor, payload: reply))]
  }

  /// Reports that a request is still being performed. Returns nothing when it is not.
  package func keepalive(_ number: Int, _ status: CTAPHIDMessage.Status) -> [Effect] {
    guard let active = transaction, active.number == number else { return [] }
    return [
      .send(CTAPHIDMessage(channel: active.channel, command: .keepalive, payload: [status.rawValue]))
    ]
  }

  /// Drops all channels and cancels the current request, because the last client is gone.
  package mutating func close() -> [Effect] {
    (assembly, channels) = (nil, [])
    defer { transaction = nil }
    return transaction == nil ? [] : [.cancel]
  }

  private mutating func begin(
    _ channel: UInt32, _ number: UInt8, _ length: Int, _ data: [UInt8], at now: Duration
  ) -> [Effect] {
    func failure(_ failure: CTAPHIDMessage.Failure) -> [Effect] { [.send(.failure(failure, on: channel))] }
    let command = CTAPHIDMessage.Command(rawValue: number)
    if command == .initialize { return synchronize(channel, length, data) }
    guard use(channel) else { return failure(.invalidChannel) }
    if command == .cancel {
      // A cancellation has no answer of its own.
      return transaction?.channel == channel ? [.cancel] : []
    }
    guard transaction == nil, assembly == nil || assembly?.channel == channel else {
      return failure(.channelBusy)
    }
    if assembly != nil {
      assembly = nil
      return failure(.invalidSequence)
    }
    guard length <= CTAPHIDMessage.maximumBytes else { return failure(.invalidLength) }
    assembly = Assembly(
      channel: channel, command: number, length: length, data: data, deadline: now + Self.packetTime)
    return complete()
  }

  private mutating func append(
    _ channel: UInt32, _ sequence: UInt8, _ data: [UInt8], at now: Duration
  ) -> [Effect] {
    // Continuations without a beginning, or of other channels, are dropped (§11.2.5.3).
    guard var waiting = assembly, waiting.channel == channel else { return [] }
    guard sequence == waiting.next else {
      assembly = nil
      return [.send(.failure(.invalidSequence, on: channel))]
    }
    waiting.data += data.prefix(waiting.length - waiting.data.count)
    waiting.next += 1
    waiting.deadline = now + Self.packetTime
    assembly = waiting
    return complete()
  }

  /// Handles the message, if it is complete.
  private mutating func complete() -> [Effect] {
    guard let whole = assembly, whole.data.count == whole.length else { return [] }
    assembly = nil
    func failure(_ failure: CTAPHIDMessage.Failure) -> [Effect] {
      [.send(.failure(failure, on: whole.channel))]
    }
    switch CTAPHIDMessage.Command(rawValue: whole.command) {
    case .ping:
      return [.send(CTAPHIDMessage(channel: whole.channel, command: .ping, payload: whole.data))]
    case .wink:
      guard whole.length == 0 else { return failure(.invalidLength) }
      return [.wink, .send(CTAPHIDMessage(channel: whole.channel, command: .wink, payload: []))]
    case .cbor:
      guard whole.length > 0 else { return failure(.invalidLength) }
      transactions += 1
      transaction = Transaction(number: transactions, channel: whole.channel)
      return [.perform(transaction: transactions, channel: whole.channel, request: whole.data)]
    // U2F and locks are not offered.
    default: return failure(.invalidCommand)
    }
  }

  /// Allocates a channel, or begins anew on the one that asks (§11.2.9.1.3).
  private mutating func synchronize(_ channel: UInt32, _ length: Int, _ nonce: [UInt8]) -> [Effect] {
    guard channel == CTAPHIDMessage.broadcast || use(channel) else {
      return [.send(.failure(.invalidChannel, on: channel))]
    }
    guard length == 8 else { return [.send(.failure(.invalidLength, on: channel))] }
    var effects: [Effect] = []
    var given = channel
    if channel == CTAPHIDMessage.broadcast {
      given = allocate()
    } else {
      if assembly?.channel == channel { assembly = nil }
      if transaction?.channel == channel {
        transaction = nil
        effects.append(.cancel)
      }
    }
    // CTAPHID 2, and the capabilities WINK, CBOR and NMSG (no U2F).
    let payload = nonce + given.bigEndianBytes + [2] + Self.version + [0x01 | 0x04 | 0x08]
    return effects + [.send(CTAPHIDMessage(channel: channel, command: .initialize, payload: payload))]
  }

  private mutating func allocate() -> UInt32 {
    if channels.count >= Self.maximumChannels {
      // Channels in the middle of a message or a transaction stay.
      let busy = [assembly?.channel, transaction?.channel]
      if let quiet = channels.firstIndex(where: { !busy.contains($0) }) { channels.remove(at: quiet) }
    }
    repeat {
      lastChannel = lastChannel >= CTAPHIDMessage.broadcast - 1 ? 1 : lastChannel + 1
    } while channels
      .contains(lastChannel)
    channels.append(lastChannel)
    return lastChannel
  }

  private mutating func use(_ channel: UInt32) -> Bool {
    guard let place = channels.firstIndex(of: channel) else { return false }
    channels.append(channels.remove(at: place))
    return true
  }
}
