internal import CCurl

/// A libcurl handle: set its options, then perform the transfer.
// Unchecked: all state is the handle and the texts that it points to. One thread at a time uses it: the thread that made it, or that
// took it out of a pool, until it gives it back.
package final class CurlTransfer: @unchecked Sendable {
  private let curl: CurlLibrary
  private let handle: CurlLibrary.Handle
  private let errors: UnsafeMutablePointer<CChar>
  private var lists: [UnsafeMutableRawPointer] = []
  /// The code of the first option that was refused.
  private var refused: Int32 = 0

  private static let errorBufferSize = 256

  /// - Throws: ``RuntimeLibraryError`` when libcurl cannot be opened or makes no handle.
  package init() throws(RuntimeLibraryError) {
    let curl = try CurlLibrary.shared()
    guard let handle = curl.makeHandle() else {
      throw RuntimeLibraryError(title: "libcurl", installation: "", reason: "it cannot create a handle")
    }
    (self.curl, self.handle) = (curl, handle)
    errors = UnsafeMutablePointer<CChar>.allocate(capacity: Self.errorBufferSize)
    setUp()
  }

  deinit {
    curl.cleanUp(handle)
    for list in lists { curl.free(list) }
    errors.deallocate()
  }

  /// Forgets all options. Connections stay open for the next transfer.
  package func reset() {
    curl.reset(handle)
    for list in lists { curl.free(list) }
    (lists, refused) = ([], 0)
    setUp()
  }

  private func setUp() {
    errors.initialize(repeating: 0, count: Self.errorBufferSize)
    set(.errorBuffer, address: errors)
    // Signals belong to the program.
    set(.noSignal, 1)
    set(.verifyPeer, 1)
    set(.verifyHost, 2)
    set(.sslVersion, CurlOption.tls12)
  }

  package func set(_ option: CurlOption, _ value: Int) {
    if refused == 0 { refused = sealring_curl_set_number(pointer(curl.set), handle, option.rawValue, value) }
  }

  /// libcurl copies the text.
  package func set(_ option: CurlOption, text: String) { text.withCString { set(option, address: $0) } }

  package func set(_ option: CurlOption, size: Int) {
    if refused == 0 {
      refused = sealring_curl_set_size(pointer(curl.set), handle, option.rawValue, Int64(size))
    }
  }

  /// - Parameter address: What libcurl reads or calls: it must stay there until the transfer has ended, unless libcurl copies it.
  package func set(_ option: CurlOption, address: UnsafeRawPointer?) {
    if refused == 0 {
      refused = sealring_curl_set_pointer(pointer(curl.set), handle, option.rawValue, address)
    }
  }

  package func set(_ option: CurlOption, lines: [String]) {
    guard let list = lines.reduce(nil as UnsafeMutableRawPointer?, { curl.append($0, $1) }) else { return }
    lists.append(list)
    set(option, address: list)
  }

  /// Bytes that libcurl copies.
  package func set(_ option: CurlOption, copying bytes: [UInt8]) {
    guard refused == 0 else { return }
    refused = bytes.withUnsafeBytes {
      sealring_curl_set_blob(pointer(curl.set), handle, option.rawValue, $0.baseAddress, UInt($0.count))
    }
  }

  /// Waits until the transfer has ended.
  ///
  /// - Throws: ``CurlFailure``.
  package func perform() throws(CurlFailure) {
    guard refused == 0 else { throw failure(refused, isBeforeStart: true) }
    let code = curl.perform(handle)
    guard code == 0 else { throw failure(code, isBeforeStart: false) }
  }

  private func failure(_ code: Int32, isBeforeStart: Bool) -> CurlFailure {
    var status = 0
    _ = sealring_curl_get_number(pointer(curl.get), handle, CurlOption.responseCode, &status)
    let detail = String(cString: errors)
    return CurlFailure(
      code: code, text: detail.isEmpty ? curl.errorText(code).map { String(cString: $0) } ?? "" : detail,
      status: status, isBeforeStart: isBeforeStart)
  }

  private func pointer(_ function: CurlLibrary.Opaque) -> UnsafeMutableRawPointer {
    unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
  }
}

/// Why a transfer failed.
package struct CurlFailure: Error, Sendable, Hashable {
  /// libcurl's number.
  package let code: Int32
  /// libcurl's text, for logs and not for users.
  package let text: String
  /// The status code of the server's answer; 0 when there was none.
  package let status: Int
  /// Whether an option was refused and nothing was sent.
  package let isBeforeStart: Bool
}

/// Numbers of options, from curl/curl.h.
package enum CurlOption: Int32, Sendable {
  case port = 3
  case lowSpeedLimit = 19
  case lowSpeedTime = 20
  case sslVersion = 32
  case noProgress = 43
  case noBody = 44
  case upload = 46
  case post = 47
  case verifyPeer = 64
  case httpGet = 80
  case verifyHost = 81
  case noSignal = 99
  case useTLS = 119
  case timeout = 155
  case connectTimeout = 156
  case protocols = 181
  case suppressConnectHeaders = 265
  case writeData = 10001
  case url = 10002
  case proxy = 10004
  case readData = 10009
  case errorBuffer = 10010
  case postFields = 10015
  case headers = 10023
  case headerData = 10029
  case customRequest = 10036
  case progressData = 10057
  case authorities = 10065
  case authoritiesFolder = 10097
  case acceptEncoding = 10102
  case username = 10173
  case password = 10174
  case from = 10186
  case recipients = 10187
  case writeFunction = 20011
  case readFunction = 20012
  case headerFunction = 20079
  case progressFunction = 20219
  case size = 30115
  case postFieldsSize = 30120
  case authoritiesContent = 40309

  fileprivate static let tls12 = 6
  fileprivate static let responseCode: Int32 = 0x200002
}
