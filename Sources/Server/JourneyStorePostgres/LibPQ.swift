internal import JourneyStore
internal import RuntimeLibraries

/// The functions of libpq, PostgreSQL's client library, that a store needs.
///
/// It is loaded when a database is opened: building needs no header of it, and a server on SQLite needs neither it nor the ten libraries
/// that it brings. The types below are those of `libpq-fe.h`, which has kept them since version 14.
struct LibPQ: Sendable {
  typealias Text = UnsafePointer<CChar>
  typealias Texts = UnsafePointer<Text?>
  typealias Numbers = UnsafePointer<CInt>

  let connectStartParams: @Sendable @convention(c) (Texts?, Texts?, CInt) -> OpaquePointer?
  let connectPoll: @Sendable @convention(c) (OpaquePointer?) -> UInt32
  let status: @Sendable @convention(c) (OpaquePointer?) -> UInt32
  let socket: @Sendable @convention(c) (OpaquePointer?) -> CInt
  let errorMessage: @Sendable @convention(c) (OpaquePointer?) -> Text?
  let usesTLS: @Sendable @convention(c) (OpaquePointer?) -> CInt
  let backendProcess: @Sendable @convention(c) (OpaquePointer?) -> CInt
  let finish: @Sendable @convention(c) (OpaquePointer?) -> Void
  let setNonblocking: @Sendable @convention(c) (OpaquePointer?, CInt) -> CInt
  let setNoticeProcessor:
    @Sendable @convention(c) (
      OpaquePointer?, (@convention(c) (UnsafeMutableRawPointer?, Text?) -> Void)?, UnsafeMutableRawPointer?
    ) -> UnsafeRawPointer?

  private let connectionOptions: @Sendable @convention(c) (OpaquePointer?) -> UnsafeMutableRawPointer?
  private let freeOptions: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void

  let cancelHandle: @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?
  /// Tests replace it by a function whose cancellation PostgreSQL misses.
  var cancel: @Sendable @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, CInt) -> CInt
  let freeCancelHandle: @Sendable @convention(c) (OpaquePointer?) -> Void

  let enterPipelineMode: @Sendable @convention(c) (OpaquePointer?) -> CInt

  /// Tests replace it by a function that fails.
  var pipelineSync: @Sendable @convention(c) (OpaquePointer?) -> CInt
  let sendPrepare:
    @Sendable @convention(c) (OpaquePointer?, Text?, Text?, CInt, UnsafePointer<UInt32>?) -> CInt
  let sendQueryPrepared:
    @Sendable @convention(c) (OpaquePointer?, Text?, CInt, Texts?, Numbers?, Numbers?, CInt) -> CInt
  let sendQueryParams:
    @Sendable @convention(c) (
      OpaquePointer?, Text?, CInt, UnsafePointer<UInt32>?, Texts?, Numbers?, Numbers?, CInt
    ) -> CInt
  let flush: @Sendable @convention(c) (OpaquePointer?) -> CInt
  let consumeInput: @Sendable @convention(c) (OpaquePointer?) -> CInt
  let isBusy: @Sendable @convention(c) (OpaquePointer?) -> CInt
  let getResult: @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?

  let clear: @Sendable @convention(c) (OpaquePointer?) -> Void
  let resultStatus: @Sendable @convention(c) (OpaquePointer?) -> UInt32
  let resultErrorField: @Sendable @convention(c) (OpaquePointer?, CInt) -> Text?
  let commandStatus: @Sendable @convention(c) (OpaquePointer?) -> Text?
  let commandTuples: @Sendable @convention(c) (OpaquePointer?) -> Text?
  let rowCount: @Sendable @convention(c) (OpaquePointer?) -> CInt
  let columnCount: @Sendable @convention(c) (OpaquePointer?) -> CInt
  let columnName: @Sendable @convention(c) (OpaquePointer?, CInt) -> Text?
  let columnType: @Sendable @convention(c) (OpaquePointer?, CInt) -> UInt32
  let isNull: @Sendable @convention(c) (OpaquePointer?, CInt, CInt) -> CInt
  let value: @Sendable @convention(c) (OpaquePointer?, CInt, CInt) -> UnsafePointer<UInt8>?
  let length: @Sendable @convention(c) (OpaquePointer?, CInt, CInt) -> CInt

  /// Opens the library. It stays open until the program ends.
  ///
  /// - Throws: ``StoreError/unavailable(_:)``, saying what to install.
  init() throws {
    let library = RuntimeLibrary(
      title: "libpq",
      candidates: RuntimeLibrary.candidates(linux: "libpq.so.5", apple: "libpq.5.dylib")
        + ["/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib"],
      installation: "libpq5 on Debian and Ubuntu, libpq in Homebrew")
    do throws(RuntimeLibraryError) { try self.init(library.open()) } catch {
      throw StoreError.unavailable(
        "libpq, PostgreSQL's client library, version 14 or later, is not installed; install \(error.installation)"
      )
    }
  }

  private init(_ functions: RuntimeLibrary.Functions) throws(RuntimeLibraryError) {
    connectStartParams = try functions.function("PQconnectStartParams")
    connectPoll = try functions.function("PQconnectPoll")
    status = try functions.function("PQstatus")
    socket = try functions.function("PQsocket")
    errorMessage = try functions.function("PQerrorMessage")
    usesTLS = try functions.function("PQsslInUse")
    backendProcess = try functions.function("PQbackendPID")
    finish = try functions.function("PQfinish")
    setNonblocking = try functions.function("PQsetnonblocking")
    setNoticeProcessor = try functions.function("PQsetNoticeProcessor")
    connectionOptions = try functions.function("PQconninfo")
    freeOptions = try functions.function("PQconninfoFree")
    cancelHandle = try functions.function("PQgetCancel")
    cancel = try functions.function("PQcancel")
    freeCancelHandle = try functions.function("PQfreeCancel")
    enterPipelineMode = try functions.function("PQenterPipelineMode")
    pipelineSync = try functions.function("PQpipelineSync")
    sendPrepare = try functions.function("PQsendPrepare")
    sendQueryPrepared = try functions.function("PQsendQueryPrepared")
    sendQueryParams = try functions.function("PQsendQueryParams")
    flush = try functions.function("PQflush")
    consumeInput = try functions.function("PQconsumeInput")
    isBusy = try functions.function("PQisBusy")
    getResult = try functions.function("PQgetResult")
    clear = try functions.function("PQclear")
    resultStatus = try functions.function("PQresultStatus")
    resultErrorField = try functions.function("PQresultErrorField")
    commandStatus = try functions.function("PQcmdStatus")
    commandTuples = try functions.function("PQcmdTuples")
    rowCount = try functions.function("PQntuples")
    columnCount = try functions.function("PQnfields")
    columnName = try functions.function("PQfname")
    columnType = try functions.function("PQftype")
    isNull = try functions.function("PQgetisnull")
    value = try functions.function("PQgetvalue")
    length = try functions.function("PQgetlength")
  }

  /// The values of some of a connection's options, as they were given, or come from the environment or a file.
  func options(of connection: OpaquePointer, _ names: Set<String>) -> [String: String] {
    guard let first = connectionOptions(connection) else { return [:] }
    defer { freeOptions(first) }
    // `PQconninfoOption`: six pointers, the first one of the name, the fourth of the value, and a number. A null name ends the list.
    let word = MemoryLayout<Text?>.stride
    var values: [String: String] = [:]
    var option = UnsafeRawPointer(first)
    while let name = option.load(as: Text?.self) {
      if let value = option.load(fromByteOffset: 3 * word, as: Text?.self), names.contains(Self.text(name)) {
        values[Self.text(name)] = Self.text(value)
      }
      option += 7 * word
    }
    return values
  }

  // MARK: Constants of libpq-fe.h

  /// `ConnStatusType`
  static let connectionOK: UInt32 = 0

  /// `PostgresPollingStatusType`
  enum Polling: UInt32 { case failed, reading, writing, ok, active }

  /// `ExecStatusType`
  enum ResultStatus: UInt32 {
    case commandOK = 1
    case tuplesOK = 2
    case fatalError = 7
    case pipelineSync = 10
    case pipelineAborted = 11
  }

  /// `PG_DIAG_…` of `postgres_ext.h`
  enum Field {
    static let sqlState = CInt(UInt8(ascii: "C"))
    static let message = CInt(UInt8(ascii: "M"))
    static let constraint = CInt(UInt8(ascii: "n"))
  }

  /// The text at a pointer; empty for a null pointer.
  static func text(_ pointer: Text?) -> String { pointer.map { String(cString: $0) } ?? "" }
}
