import Bytes
import Foundation
import Testing

@testable import MailService

@Suite("Mail messages")
struct MailMessageTests {
  @Test(arguments: [
    "ada@example.com", "a.b+c_d@mail.example.co.uk", "x@localhost", "o'neil!#$%&*/=?^`{|}~-@x-1.org",
  ])
  func `an address of a mailbox`(text: String) throws {
    #expect(try #require(MailAddress(text)).text == text)
  }

  @Test(arguments: [
    "", "@", "a@", "@b", "a b@c.de", "a@b c", "a@b..c", "a@.b", "a@b.", "a@-b.c", "a@b-.c", ".a@b", "a.@b",
    "a..b@c",
    "a@b\r\nBcc: x@y", "a\n@b", "<a@b>", "a@b,c@d", "a@b>", "\"a b\"@c", "a@[127.0.0.1]", "ä@b.de", "a@ä.de",
    "a@b\0",
    String(repeating: "a", count: 65) + "@b.de", "a@" + String(repeating: "a", count: 64) + ".de",
    "a@" + String(repeating: "abc.", count: 70) + "de",
  ])
  func `what is no address of a mailbox`(text: String) { #expect(MailAddress(text) == nil) }

  @Test(arguments: [
    ("ada@example.com", true), ("ä@example.com", true), ("ada", false), ("@example.com", false),
    ("ada@example.com@example.org", false), ("ada@example.com@\u{301}example.org", false),
  ])
  func `what could be an address has one sign between two parts`(text: String, isPlausible: Bool) {
    #expect(MailAddress.isPlausible(text) == isPlausible)
  }

  private func message(subject: String = "Hello", text: String = "Hi", html: String? = nil, name: String = "")
    throws -> String
  {
    let message = MailMessage(
      from: try #require(MailAddress("login@example.com")), senderName: name,
      to: try #require(MailAddress("ada@example.com")), subject: subject, text: text, html: html)
    return String(
      decoding: message.wireForm(id: "id1", date: Date(timeIntervalSince1970: 1_800_000_000)), as: UTF8.self)
  }

  @Test func `a message is ASCII, with lines that end in CR LF`() throws {
    let text = try message(
      subject: "Grüße", text: "Straße\nund Platz", html: "<p>Straße</p>", name: "Müller & Söhne")
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(
      !text.replacing("\r\n", with: "").contains("\n") && !text.replacing("\r\n", with: "").contains("\r"))
    #expect(text.contains("Subject: =?utf-8?B?R3LDvMOfZQ==?=\r\n"))
    #expect(
      text.contains("Date: Fri, 15 Jan 2027 08:00:00 +0000\r\n")
        && text.contains("Message-ID: <id1@example.com>\r\n"))
    #expect(text.contains(PaddedBase64.encode(Array("Straße\nund Platz".utf8))))
    #expect(text.contains("multipart/alternative; boundary=\"=_id1\"") && text.hasSuffix("--=_id1--\r\n"))
    #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 998 })
  }

  @Test(arguments: [
    "Hi\r\nBcc: eve@example.net", "Hi\nX: y", "Hi\u{2028}X: y", "\r\n\r\nbody", "=?utf-8?B?x?=",
  ])
  func `no part makes a header`(text: String) throws {
    let head = try #require(
      try message(subject: text, text: text, html: text, name: text).components(separatedBy: "\r\n\r\n").first
    )
    let names = head.components(separatedBy: "\r\n").filter { !$0.hasPrefix(" ") }.compactMap {
      $0.components(separatedBy: ":").first
    }
    #expect(
      names == [
        "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Auto-Submitted", "Content-Type",
      ])
  }

  @Test func `a message shows nobody what is in it`() throws {
    let message = MailMessage(
      from: try #require(MailAddress("login@example.com")), to: try #require(MailAddress("ada@example.com")),
      subject: "s", text: "the secret link")
    #expect(!"\(message)".contains("secret") && !String(reflecting: message).contains("secret"))
    #expect(message.recipient.shortened == "a…@example.com")
  }
}
