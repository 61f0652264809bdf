internal import Bytes
internal import CEmbeddedFiles
internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import ServerHTTP

/// A file that pages load: a style or a script. It is in the program.
///
/// Browsers cache the file and revalidate it, which saves a second transfer.
struct PageFile: Sendable {
  let type: String
  let bytes: [UInt8]

  /// RFC 9110 §8.8.3.
  let tag: String

  init(_ type: String, _ bytes: [UInt8]) {
    self.type = type
    self.bytes = bytes
    tag = "\"\(SHA256.hash(data: bytes).prefix(12).hexadecimal)\""
  }

  init(_ type: String, _ file: EmbeddedFile) {
    self.init(type, Array(UnsafeBufferPointer(start: file.start, count: file.count)))
  }

  static func style(_ file: EmbeddedFile) -> PageFile { PageFile("text/css;charset=UTF-8", file) }

  static func script(_ file: EmbeddedFile) -> PageFile { PageFile("text/javascript;charset=UTF-8", file) }

  /// - Parameter common: the headers of the pages that load the file.
  func answer(to request: Request, headers common: HTTPFields) -> Response {
    var headers = common
    headers[.cacheControl] = "no-cache"
    headers[.eTag] = tag
    guard !isKnown(request.headers[.ifNoneMatch]) else {
      return Response(status: .notModified, headers: headers)
    }
    return .file(type, bytes, headers: headers)
  }

  /// Whether the browser names this very file among those that it has (RFC 9110 §13.1.2). Proxies that compress make the tag a weak one.
  private func isKnown(_ condition: String?) -> Bool {
    guard let condition else { return false }
    return condition.split(separator: ",").contains { item in
      let name = item.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
      return name == "*" || name == tag || name == "W/\(tag)"
    }
  }
}
