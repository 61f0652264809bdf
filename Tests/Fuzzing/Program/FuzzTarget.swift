import Foundation

/// A reader of bytes from outside, and what must hold whatever the bytes are.
struct FuzzTarget: Sendable {
  /// Inputs to start from that take a key or a computation. Those that are plain texts come from `seeds.py`.
  let seeds: @Sendable () -> [[UInt8]]

  /// Reads `bytes`; ends the program when something does not hold.
  let check: @Sendable (_ bytes: [UInt8]) -> Void

  init(
    seeds: @escaping @Sendable () -> [[UInt8]] = { [] }, check: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.seeds = seeds
    self.check = check
  }

  /// A reader of text; bytes that are not UTF-8 are repaired first, as they would be before they get there.
  init(
    seeds: @escaping @Sendable () -> [[UInt8]] = { [] }, text check: @escaping @Sendable (String) -> Void
  ) {
    self.init(seeds: seeds) { check(String(decoding: $0, as: UTF8.self)) }
  }
}

/// Ends the program, as a crash would, unless `holds`.
func expect(
  _ holds: Bool, _ what: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line
) {
  guard !holds else { return }
  FileHandle.standardError.write(Data("\(file):\(line): \(what())\n".utf8))
  abort()
}

/// Waits for `work`, whose tasks do not wait for anything themselves.
func wait<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value? {
  let done = DispatchSemaphore(value: 0)
  let box = Box<Value>()
  Task(executorPreference: Here.executor) {
    box.value = await work()
    done.signal()
  }
  done.wait()
  return box.value
}

/// Runs tasks on the thread that starts them: changing it would take longer than most of what they do.
private final class Here: TaskExecutor {
  static let executor = Here()

  func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}

/// Written once, before it is read: the semaphore orders the two.
private final class Box<Value: Sendable>: @unchecked Sendable {
  var value: Value?
}

/// An input that holds several parts: each behind its length of two bytes.
func parts(of bytes: [UInt8]) -> [[UInt8]] {
  var parts: [[UInt8]] = []
  var rest = bytes[...]
  while rest.count >= 2, let high = rest.popFirst(), let low = rest.popFirst() {
    let length = Int(high) << 8 | Int(low)
    parts.append(Array(rest.prefix(length)))
    rest = rest.dropFirst(length)
  }
  return parts
}

/// The input of which ``parts(of:)`` makes `parts`.
func joined(_ parts: [[UInt8]]) -> [UInt8] {
  parts.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 }
}
