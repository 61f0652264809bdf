import Foundation

/// One program for all targets: `cbor-fuzzer` runs the target `cbor`. With the environment variable `FUZZ_SEEDS` it writes the target's own
/// seeds into that folder instead.
private let chosen: FuzzTarget = {
  let name = URL(filePath: CommandLine.arguments[0]).lastPathComponent
  guard name.hasSuffix("-fuzzer"), let target = FuzzTarget.all[String(name.dropLast("-fuzzer".count))] else {
    fatalError("\(name) is no target; there are \(FuzzTarget.all.keys.sorted().joined(separator: ", "))")
  }
  return target
}()

@_cdecl("LLVMFuzzerInitialize")
public func start(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
  guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
  for (number, seed) in chosen.seeds().enumerated() {
    let file = URL(filePath: folder).appending(path: "made-\(number)")
    guard (try? Data(seed).write(to: file)) != nil else { exit(1) }
  }
  exit(0)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  chosen.check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
