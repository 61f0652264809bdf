#if os(Linux)
  internal import CSystemd
  internal import Foundation

  /// A connection to a message bus, for use on the thread that made it.
  ///
  /// Every wait ends with `CancellationError` when the interruption is raised, except during clean-up.
  package final class Bus {
    /// A method or a signal of one object of one program.
    package struct Member {
      let program: String
      package let path: String
      package let interface: String
      package let name: String

      /// - Parameter program: The program that receives the call or sends the signal.
      package init(of program: String, path: String, interface: String, member name: String) {
        (self.program, self.path, self.interface, self.name) = (program, path, interface, name)
      }
    }

    /// An argument of a method.
    package enum Argument {
      case string(String)
      case objectPath(String)
      case strings([String])
      case uint32(UInt32)
      case int32(Int32)
      /// Names and their values, each value in a variant.
      case properties([(name: String, value: Argument)])
      /// Text that is wrapped in a variant, as properties are.
      case variantString(String)
      /// A number that is wrapped in a variant.
      case variantUInt32(UInt32)
      case variantByte(UInt8)
    }

    private let handle: OpaquePointer
    private let interruption: Interruption
    private var subscriptions: [Subscription] = []

    /// Connects to the bus at `address`; without an address to the system bus, at `DBUS_SYSTEM_BUS_ADDRESS` or the usual socket.
    ///
    /// - Throws: `BusError.noBus`.
    package init(address: String?, interruption: Interruption) throws {
      self.interruption = interruption
      var handle: OpaquePointer?
      var result: Int32
      if let address {
        result = sd_bus_new(&handle)
        if result >= 0 { result = sd_bus_set_address(handle, address) }
        if result >= 0 { result = sd_bus_set_bus_client(handle, 1) }
        if result >= 0 { result = sd_bus_start(handle) }
      } else {
        result = sd_bus_open_system(&handle)
      }
      guard result >= 0, let handle else {
        sd_bus_unref(handle)
        throw BusError.noBus(String(cString: strerror(-result)))
      }
      self.handle = handle
    }

    deinit {
      // Subscriptions first: their callbacks point to objects that are released with this one.
      for subscription in subscriptions { sd_bus_slot_unref(subscription.slot) }
      // Does not wait for the other end: clean-up calls have waited for their answers already.
      sd_bus_close_unref(handle)
    }

    /// Calls a method whose arguments are all strings, and waits for its answer.
    ///
    /// - Parameters:
    ///   - patience: How long to wait for the answer, in seconds.
    ///   - isCleaningUp: Whether to wait even when the interruption is raised.
    /// - Throws: `BusError`, `CancellationError`.
    @discardableResult
    package func call(
      _ method: Member, _ arguments: [String] = [], patience: UInt64 = 25, isCleaningUp: Bool = false
    ) throws -> BusMessage {
      try call(
        method, with: arguments.map { .string($0) }, patience: patience, isCleaningUp: isCleaningUp)
    }

    /// Calls a method, and waits for its answer, as ``call(_:_:patience:isCleaningUp:)`` does.
    @discardableResult
    package func call(
      _ method: Member, with arguments: [Argument], patience: UInt64 = 25, isCleaningUp: Bool = false
    ) throws -> BusMessage {
      var message: OpaquePointer?
      var result = sd_bus_message_new_method_call(
        handle, &message, method.program, method.path, method.interface, method.name)
      defer { sd_bus_message_unref(message) }
      for argument in arguments where result >= 0 { result = argument.append(to: message) }
      let reply = Received()
      var slot: OpaquePointer?
      if result >= 0 {
        result = sd_bus_call_async(
          handle, &slot, message, Received.keep, Unmanaged.passUnretained(reply).toOpaque(),
          patience * 1_000_000)
      }
      // Removes the callback before `reply` is released.
      defer { withExtendedLifetime(reply) { _ = sd_bus_slot_unref(slot) } }
      guard result >= 0 else { throw failure(result) }
      let answer = try wait(isCleaningUp: isCleaningUp) { reply.messages.popLast() }
      if let error = answer.error { throw error }
      return answer
    }

    /// Subscribes to a signal, and passes each message to `receive` on this thread, during a call or a wait.
    package func subscribe(_ signal: Member, receive: @escaping (BusMessage) -> Void) throws {
      let subscription = Subscription(receive)
      // The bus handles this request before the ones after it, so its answer need not be waited for.
      let result = sd_bus_match_signal_async(
        handle, &subscription.slot, signal.program, signal.path, signal.interface, signal.name,
        Subscription.deliver, nil, Unmanaged.passUnretained(subscription).toOpaque())
      guard result >= 0 else { throw failure(result) }
      subscriptions.append(subscription)
    }

    /// Handles messages of the bus until `outcome` returns a value.
    ///
    /// - Throws: `BusError.disconnected`, `CancellationError`, and what `outcome` throws.
    package func wait<Outcome>(
      isCleaningUp: Bool = false, for outcome: () throws -> Outcome?
    ) throws -> Outcome {
      while true {
        if let outcome = try outcome() { return outcome }
        let result = sd_bus_process(handle, nil)
        if result < 0 { throw failure(result) }
        if result == 0 { try sleepUntilSomethingComes(isCleaningUp: isCleaningUp) }
      }
    }

    private func sleepUntilSomethingComes(isCleaningUp: Bool) throws {
      let events = sd_bus_get_events(handle)
      var due = UInt64.max
      guard events >= 0, sd_bus_get_timeout(handle, &due) >= 0 else { throw BusError.disconnected }
      var sources = [pollfd(fd: sd_bus_get_fd(handle), events: Int16(truncatingIfNeeded: events), revents: 0)]
      if !isCleaningUp {
        sources.append(pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0))
      }
      if poll(&sources, nfds_t(sources.count), milliseconds(until: due)) < 0 && errno != EINTR {
        throw BusError.disconnected
      }
      if sources.count > 1, sources[1].revents != 0 { throw CancellationError() }
    }

    /// - Parameter due: Microseconds on the monotonic clock; the largest number means never.
    private func milliseconds(until due: UInt64) -> Int32 {
      guard due != .max else { return -1 }
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      let now = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
      return due <= now ? 0 : Int32(clamping: (due - now) / 1000 + 1)
    }

    private func failure(_ result: Int32) -> BusError {
      switch -result {
      case ENOTCONN, ECONNRESET, EPIPE, ESHUTDOWN: .disconnected
      // The connection is made while the first call waits.
      case let code where sd_bus_is_ready(handle) <= 0: .noBus(String(cString: strerror(code)))
      default: .malformed(String(cString: strerror(-result)))
      }
    }
  }

  /// The answers to a call.
  private final class Received {
    var messages: [BusMessage] = []

    static let keep: sd_bus_message_handler_t = { message, received, _ in
      guard let message, let received else { return 0 }
      Unmanaged<Received>.fromOpaque(received).takeUnretainedValue()
        .messages.append(BusMessage(retaining: message))
      return 1
    }
  }

  private final class Subscription {
    var slot: OpaquePointer?
    private let receive: (BusMessage) -> Void

    init(_ receive: @escaping (BusMessage) -> Void) { self.receive = receive }

    static let deliver: sd_bus_message_handler_t = { message, subscription, _ in
      guard let message, let subscription else { return 0 }
      Unmanaged<Subscription>.fromOpaque(subscription).takeUnretainedValue()
        .receive(BusMessage(retaining: message))
      // Others may have subscribed to the same signal.
      return 0
    }
  }

  /// Why something on the bus failed.
  package enum BusError: Error, Hashable {
    /// There is no bus at all, for this reason.
    case noBus(String)
    /// This program has too many files open.
    case noDescriptors
    /// The connection to the bus broke.
    case disconnected
    /// The called service answered with an error.
    case refused(name: String, message: String)
    /// An answer that is not what its interface says.
    case malformed(String)
  }
#endif
