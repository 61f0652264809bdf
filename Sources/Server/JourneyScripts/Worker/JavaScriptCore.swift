internal import RuntimeLibraries

/// The functions of JavaScriptCore that a worker needs: WebKit's engine, which Apple's systems have and Debian packages with GTK's
/// WebKit. The types are those of `JavaScriptCore/JavaScript.h`.
///
/// It is opened in workers only: the server itself never has an interpreter of scripts in its memory.
struct JavaScriptCore: Sendable {
  typealias Reference = OpaquePointer
  typealias Arguments = UnsafePointer<OpaquePointer?>
  typealias Thrown = UnsafeMutablePointer<OpaquePointer?>
  typealias Function =
    @Sendable @convention(c) (
      Reference?, Reference?, Reference?, Int, Arguments?, Thrown?
    ) -> Reference?
  typealias ShouldTerminate = @Sendable @convention(c) (Reference?, UnsafeMutableRawPointer?) -> Bool

  let makeGroup: @Sendable @convention(c) () -> Reference?
  /// Exported for WebKit's own tools, and declared in none of the public headers. The time is the thread's processor time, in
  /// seconds, of each entry into the engine.
  let setTimeLimit:
    @Sendable @convention(c) (Reference?, Double, ShouldTerminate?, UnsafeMutableRawPointer?) -> Void
  let makeContext: @Sendable @convention(c) (Reference?, Reference?) -> Reference?
  let releaseContext: @Sendable @convention(c) (Reference?) -> Void
  let collectGarbage: @Sendable @convention(c) (Reference?) -> Void
  let makeString: @Sendable @convention(c) (UnsafePointer<CChar>?) -> Reference?
  let releaseString: @Sendable @convention(c) (Reference?) -> Void
  let maximumBytes: @Sendable @convention(c) (Reference?) -> Int
  let bytes: @Sendable @convention(c) (Reference?, UnsafeMutablePointer<CChar>?, Int) -> Int
  let evaluate:
    @Sendable @convention(c) (Reference?, Reference?, Reference?, Reference?, CInt, Thrown?) -> Reference?
  let makeFunction: @Sendable @convention(c) (Reference?, Reference?, Function?) -> Reference?
  let call:
    @Sendable @convention(c) (
      Reference?, Reference?, Reference?, Int, Arguments?, Thrown?
    ) -> Reference?
  let property: @Sendable @convention(c) (Reference?, Reference?, Reference?, Thrown?) -> Reference?
  let stringOf: @Sendable @convention(c) (Reference?, Reference?, Thrown?) -> Reference?
  let valueOf: @Sendable @convention(c) (Reference?, Reference?) -> Reference?
  let makeError: @Sendable @convention(c) (Reference?, Int, Arguments?, Thrown?) -> Reference?

  static let library = RuntimeLibrary(
    title: "JavaScriptCore",
    candidates: [
      "libjavascriptcoregtk-4.1.so.0", "libjavascriptcoregtk-6.0.so.1",
      "/System/Library/Frameworks/JavaScriptCore.framework/JavaScriptCore",
    ], installation: "libjavascriptcoregtk-4.1-0 on Debian and Ubuntu")

  /// Opens the library. It stays open until the program ends.
  init() throws(RuntimeLibraryError) {
    let functions = try Self.library.open()
    makeGroup = try functions.function("JSContextGroupCreate")
    setTimeLimit = try functions.function("JSContextGroupSetExecutionTimeLimit")
    makeContext = try functions.function("JSGlobalContextCreateInGroup")
    releaseContext = try functions.function("JSGlobalContextRelease")
    collectGarbage = try functions.function("JSGarbageCollect")
    makeString = try functions.function("JSStringCreateWithUTF8CString")
    releaseString = try functions.function("JSStringRelease")
    maximumBytes = try functions.function("JSStringGetMaximumUTF8CStringSize")
    bytes = try functions.function("JSStringGetUTF8CString")
    evaluate = try functions.function("JSEvaluateScript")
    makeFunction = try functions.function("JSObjectMakeFunctionWithCallback")
    call = try functions.function("JSObjectCallAsFunction")
    property = try functions.function("JSObjectGetProperty")
    stringOf = try functions.function("JSValueToStringCopy")
    valueOf = try functions.function("JSValueMakeString")
    makeError = try functions.function("JSObjectMakeError")
  }

  /// Calls `body` with a string of the engine's.
  func withString<Result>(_ text: some Sequence<UInt8>, _ body: (Reference?) -> Result) -> Result {
    let string = (text.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
      makeString($0.baseAddress)
    }
    defer { releaseString(string) }
    return body(string)
  }

  /// The UTF-8 of a value's text; `nil` when it has none.
  func text(of value: Reference?, in context: Reference?) -> [UInt8]? {
    guard let value, let string = stringOf(context, value, nil) else { return nil }
    defer { releaseString(string) }
    let room = maximumBytes(string)
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      let written = buffer.withMemoryRebound(to: CChar.self) { bytes(string, $0.baseAddress, room) }
      count = max(0, written - 1)
    }
  }
}
