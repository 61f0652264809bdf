#if !canImport(AuthenticationServices)
  internal import Foundation

  /// One connection to a ``LoopbackRedirect``, for one request.
  final class LoopbackConnection {
    enum Progress {
      case unfinished
      case request(LoopbackRequestHead)
      case ended
    }

    let descriptor: Int32
    private var received: [UInt8] = []

    /// The largest request that is read, in bytes.
    private static let maximumBytes = 32 << 10

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Reads the available bytes without waiting.
    func read() -> Progress {
      var bytes = [UInt8](repeating: 0, count: 8192)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? .unfinished : .ended }
      received += bytes[..<count]
      guard received.count <= Self.maximumBytes else { return .ended }
      let text = String(decoding: received, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { return .unfinished }
      return .request(LoopbackRequestHead(text[..<end.lowerBound]))
    }

    /// Sends a page, which is small enough not to wait.
    func send(_ page: LoopbackPage) {
      let bytes = Array(page.answer.utf8)
      _ = Foundation.send(
        descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      shutdown(descriptor, Int32(SHUT_WR))
    }
  }

  /// The head of a request (RFC 9112 §2.1).
  struct LoopbackRequestHead {
    private let lines: [Substring]

    init(_ text: Substring) { lines = text.split(separator: "\r\n", omittingEmptySubsequences: false) }

    /// The requested address; `nil` unless this is a GET request for a path of `authority`. A page whose own name was made to lead here
    /// (DNS rebinding) does not name `authority` either.
    func redirect(to authority: String) -> URL? {
      let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
      let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
        .map { $0.dropFirst("host:".count).trimmingCharacters(in: .whitespaces) }
      guard words.count == 3, words[0] == "GET", words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/"),
        hosts == [authority],
        words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
      else { return nil }
      return URL(string: "http://\(authority)\(words[1])")
    }
  }

  /// The page that the browser shows in the end. It repeats nothing of the request.
  enum LoopbackPage {
    case thanks, refusal

    var answer: String {
      let (status, text) =
        switch self {
        case .thanks: ("200 OK", "You can close this page and go back to the app.")
        case .refusal: ("404 Not Found", "There is nothing here.")
        }
      let body = "<!doctype html><meta charset=\"utf-8\"><title>Sign-in</title><p>\(text)</p>\n"
      let fields = [
        "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(body.utf8.count)",
        "Cache-Control: no-store", "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
        "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "Connection: close",
      ]
      return fields.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
  }
#endif
