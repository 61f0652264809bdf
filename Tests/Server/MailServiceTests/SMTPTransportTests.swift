import Foundation
import StrictJSON
import Testing

@testable import MailService

@Suite("Mail by SMTP", .serialized)
struct SMTPTransportTests {
  private func send(
    _ settings: SMTPTransport.Settings, text: String = "Hello", to recipient: String = "ada@example.com"
  ) async throws {
    let from = try #require(MailAddress("login@example.com"))
    let to = try #require(MailAddress(recipient))
    let message = MailMessage(from: from, to: to, subject: "Hi", text: text)
    try await SMTPTransport(settings).send(
      message.wireForm(id: "id1", date: Date(timeIntervalSince1970: 0)), from: from, to: to, id: "id1")
  }

  private func settings(_ server: SMTPServer, _ security: SMTPTransport.Security) -> SMTPTransport.Settings {
    SMTPTransport.Settings(
      host: "127.0.0.1", port: server.port, security: security,
      authorities: security == .none ? nil : server.authorities)
  }

  @Test(arguments: [SMTPTransport.Security.starttls, .tls])
  func `a message goes by TLS, after the name and password were right`(security: SMTPTransport.Security)
    async throws
  {
    let server = try SMTPServer(security.rawValue, "user=sealring:Pass word:1")
    var settings = settings(server, security)
    settings.username = "sealring"
    settings.password = "Pass word:1"
    try await send(settings)
    let message = try server.message()
    #expect(message["encrypted"] == true && message["user"] == "sealring")
    #expect(message["from"]?.stringValue?.hasPrefix("<login@example.com>") == true)
    #expect(message["to"] == ["<ada@example.com>"])
    let content = try #require(message["content"]?.stringValue)
    #expect(content.hasPrefix("From: login@example.com\r\n") && content.contains("SGVsbG8="))
    settings.password = "wrong"
    await #expect(throws: MailError.self) { try await send(settings) }
  }

  @Test func `a relay on this machine may speak without TLS`() async throws {
    let server = try SMTPServer("plain")
    try await send(settings(server, .none))
    #expect(try server.message()["encrypted"] == false)
  }

  @Test func `without STARTTLS nothing is sent, although the server would take it`() async throws {
    let server = try SMTPServer("stripped")
    await #expect(throws: MailError.self) { try await send(settings(server, .starttls)) }
  }

  @Test(arguments: [SMTPTransport.Security.starttls, .tls])
  func `a certificate that nobody trusts, or of another host, gets no mail`(security: SMTPTransport.Security)
    async throws
  {
    let server = try SMTPServer(security.rawValue)
    var untrusted = settings(server, security)
    untrusted.authorities = nil
    do {
      try await send(untrusted)
      Issue.record("it was sent")
    } catch let error as MailError { #expect(!error.isTemporary, "\(error)") }
    let other = try SMTPServer(security.rawValue, "name=mail.example.com")
    await #expect(throws: MailError.self) { try await send(settings(other, security)) }
  }

  @Test(arguments: [("550", false), ("451", true)])
  func `a refused recipient is final or not, by the server's code`(code: String, isTemporary: Bool)
    async throws
  {
    let server = try SMTPServer("plain", "refuse=\(code)")
    do {
      try await send(settings(server, .none))
      Issue.record("it was sent")
    } catch let error as MailError {
      #expect(error.isTemporary == isTemporary && error.description.contains(code), "\(error)")
    }
  }

  @Test func `a server that is not there is tried again`() async throws {
    do {
      try await send(SMTPTransport.Settings(host: "127.0.0.1", port: 1, security: .none))
      Issue.record("it was sent")
    } catch let error as MailError { #expect(error.isTemporary) }
  }

  @Test(arguments: [
    ("", 25, SMTPTransport.Security.tls), ("mail example", 25, .tls), ("mail.example.com/x", 25, .tls),
    ("a@b", 25, .tls),
    ("mail.example.com", 0, .tls), ("mail.example.com", 25, .none), ("localhost.example.com", 25, .none),
  ])
  func `settings that name no server, or send mail in clear, are refused`(
    host: String, port: Int, security: SMTPTransport.Security
  ) {
    #expect(throws: MailError.self) {
      _ = try SMTPTransport(SMTPTransport.Settings(host: host, port: port, security: security))
    }
  }
}
