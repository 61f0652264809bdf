public import Bytes
public import Foundation

/// An e-mail. Its text may contain a link or code that signs somebody in, so only the recipient may see it.
public struct MailMessage: Sendable, Hashable, Redacted {
  public var from: MailAddress

  /// The name that recipients see beside the sender's address; may be empty.
  public var senderName: String
  public var recipient: MailAddress
  public var subject: String

  /// The body as plain text.
  public var text: String

  /// The same text as HTML; `nil` for plain text only.
  public var html: String?

  /// The purpose of the mail's link; `nil` for mail without one. Limits use it for counting.
  public var link: LinkFacts?

  /// The facts about a link that limits use.
  public struct LinkFacts: Sendable, Hashable {
    /// What the link continues, such as a node of a journey. One link for the same purpose is enough.
    public var purpose: String

    /// The network address of the requester.
    public var requester: String

    public init(purpose: String, requester: String) {
      self.purpose = purpose
      self.requester = requester
    }
  }

  public init(
    from: MailAddress, senderName: String = "", to recipient: MailAddress, subject: String, text: String,
    html: String? = nil
  ) {
    self.from = from
    self.senderName = senderName
    self.recipient = recipient
    self.subject = subject
    self.text = text
    self.html = html
  }

  /// Longest subject and sender's name in characters; the rest is cut.
  private static let longestHeader = 200

  /// The bytes that are sent (RFC 5322, RFC 2045): lines end in CR LF, and all characters are ASCII.
  ///
  /// The parts cannot inject headers: names and subjects are encoded words, texts are Base64.
  ///
  /// - Parameter id: letters and digits; used before the `@` of the `Message-ID`, and in the boundary.
  public func wireForm(id: String, date: Date) -> [UInt8] {
    let domain = from.text.split(separator: "@").last ?? "localhost"
    var lines = [
      "From: \(senderName.isEmpty ? from.text : "\(Self.encoded(senderName)) <\(from.text)>")",
      "To: \(recipient.text)", "Subject: \(Self.encoded(subject))", "Date: \(Self.date(date))",
      "Message-ID: <\(id)@\(domain)>", "MIME-Version: 1.0", "Auto-Submitted: auto-generated",
    ]
    guard let html else {
      lines += Self.part("text/plain", text)
      return Array(lines.joined(separator: "\r\n").utf8)
    }
    let boundary = "=_\(id)"
    lines += ["Content-Type: multipart/alternative; boundary=\"\(boundary)\"", ""]
    for (type, content) in [("text/plain", text), ("text/html", html)] {
      lines += ["--\(boundary)"] + Self.part(type, content)
    }
    lines += ["--\(boundary)--", ""]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  private static func part(_ type: String, _ content: String) -> [String] {
    let base64 = PaddedBase64.encode(Array(content.utf8))
    var lines = ["Content-Type: \(type); charset=utf-8", "Content-Transfer-Encoding: base64", ""]
    var rest = Substring(base64)
    while !rest.isEmpty {
      lines.append(String(rest.prefix(76)))
      rest = rest.dropFirst(76)
    }
    return lines + [""]
  }

  /// The text as encoded words (RFC 2047 §2) of at most 75 characters, or unchanged if it is plain.
  private static func encoded(_ text: String) -> String {
    let line = String(text.onOneLine.prefix(longestHeader))
    let isPlain =
      line.utf8.count <= 60
      && line.utf8.allSatisfy { byte in
        (0x20..<0x7F).contains(byte) && !"=?<>\"@,;:\\()[]".utf8.contains(byte)
      }
    if isPlain { return line }
    var words: [String] = []
    var word = ""
    for character in line {
      if word.utf8.count + character.utf8.count > 40 {
        words.append(word)
        word = ""
      }
      word.append(character)
    }
    if !word.isEmpty { words.append(word) }
    return words.map { "=?utf-8?B?\(PaddedBase64.encode(Array($0.utf8)))?=" }.joined(separator: "\r\n ")
  }

  private static func date(_ date: Date) -> String {
    DateFormatter(fixed: "EEE, dd MMM yyyy HH:mm:ss '+0000'").string(from: date)
  }
}
