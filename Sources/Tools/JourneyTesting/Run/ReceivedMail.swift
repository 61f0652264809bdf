internal import Bytes
internal import Foundation

/// The mail that a test's servers wrote to a folder.
struct ReceivedMail: Sendable {
  struct Message: Sendable {
    var to: String
    var subject: String
    var text: String

    /// The first link that continues a journey, else the first link.
    var link: String?
  }

  /// The folder whose files `*.eml` are mail, including its subfolders.
  let folder: URL

  private static let maximumBytes = 1 << 20

  /// The files that were returned before.
  private var read: Set<URL> = []

  init(folder: URL) { self.folder = folder }

  /// How long to wait for a mail: servers send it after they have answered.
  private static let patience = Duration.seconds(20)

  /// Returns the newest unread mail, to this address if one is given.
  ///
  /// - Throws: ``ScriptFailure`` when no mail arrives.
  mutating func next(to address: String?) async throws -> Message {
    let end = ContinuousClock.now + Self.patience
    while true {
      let unread = all().filter { !read.contains($0.file) }
      let fitting = unread.filter { address == nil || $0.message.to.contains(address ?? "") }
      if let newest = fitting.max(by: { ($0.date, $0.file.path) < ($1.date, $1.file.path) }) {
        read.insert(newest.file)
        return newest.message
      }
      guard ContinuousClock.now < end else {
        let others = Set(unread.map(\.message.to)).sorted()
        throw ScriptFailure(
          "no mail\(address.map { " to \($0)" } ?? "") was sent"
            + (others.isEmpty ? "" : "; there is mail to \(others.joined(separator: ", "))"))
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func all() -> [(file: URL, date: Date, message: Message)] {
    let files = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "eml" }.compactMap { file in
      guard let data = try? Data(contentsOf: file), data.count <= Self.maximumBytes else { return nil }
      let date = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
      return (file, date ?? .distantPast, Self.parse(String(decoding: data, as: UTF8.self)))
    }
  }

  /// Parses a mail (RFC 5322) as far as tests need it.
  static func parse(_ text: String) -> Message {
    let text = text.replacing("\r\n", with: "\n")
    let head = text.firstRange(of: "\n\n").map { text[..<$0.lowerBound] } ?? text[...]
    var body = String(text[head.endIndex...])
    func header(_ name: String) -> String {
      let unfolded = head.replacing("\n ", with: " ").replacing("\n\t", with: " ")
      let line = unfolded.split(separator: "\n").first { $0.lowercased().hasPrefix("\(name):") }
      return line.map { String($0.drop { $0 != ":" }.dropFirst()).trimmingCharacters(in: .whitespaces) } ?? ""
    }
    // Parts of a multipart mail have their own headers, which do no harm here.
    let lower = text.lowercased()
    if lower.contains("content-transfer-encoding: base64") {
      body = decodedBase64Parts(body)
    } else if lower.contains("content-transfer-encoding: quoted-printable") {
      body = QuotedPrintable.decode(body).map { String(decoding: $0, as: UTF8.self) } ?? body
    }
    let links = body.matches(of: /https?:\/\/[^\s"'<>()]+/).map {
      String($0.output).replacing("&amp;", with: "&")
    }
    return Message(
      to: header("to"), subject: EncodedWords.decode(header("subject")), text: body,
      link: links.first { $0.contains("suspendedId=") } ?? links.first)
  }

  private static func decodedBase64Parts(_ body: String) -> String {
    body.split(separator: "\n\n").map { part in
      let compact = part.filter { !$0.isWhitespace }
      return PaddedBase64.decode(compact).map { String(decoding: $0, as: UTF8.self) } ?? String(part)
    }.joined(separator: "\n\n")
  }
}
