import ArgumentParser
import Assembly
import Foundation
import MailService

/// The options for identities and mail.
struct IdentityOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: ArgumentHelp(
      "File with the schema of identities, terms and security questions (docs/identities.md).",
      valueName: "file"))
  var identitySchema: String?

  @Option(
    help: ArgumentHelp(
      """
      Where mail goes: folder:DIR, smtp://[USER@]HOST[:PORT] with STARTTLS, or smtps://[USER@]HOST[:PORT]. The password is in \
      SEALRING_MAIL_PASSWORD. Default: the folder 'mail' in the data folder (docs/mail.md).
      """, valueName: "address"))
  var mail: String?

  @Option(
    help: ArgumentHelp("Address that mail comes from, unless its template names one.", valueName: "address"))
  var mailFrom: String?

  @Option(
    help: ArgumentHelp(
      "File with the certificates to trust for the mail server. Default: the system's.", valueName: "file"))
  var mailCa: String?

  func apply(to configuration: inout ServerConfiguration) throws {
    if let identitySchema {
      configuration.identities = try IdentitySettings(file: URL(filePath: identitySchema))
    }
    if let mailFrom {
      guard let address = MailAddress(mailFrom) else {
        throw ValidationError("--mail-from is a mail address without a name, such as login@example.com.")
      }
      configuration.mail.sender = address
    }
    if let mail { configuration.mail.delivery = try delivery(mail) }
    guard case .smtp = configuration.mail.delivery else { return }
    guard mailFrom != nil else {
      throw ValidationError("--mail smtp… needs --mail-from, the address that mail comes from.")
    }
  }

  private func delivery(_ text: String) throws -> MailConfiguration.Delivery {
    if text.hasPrefix("folder:") {
      return .directory(URL(filePath: String(text.dropFirst("folder:".count))))
    }
    guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty,
      ["smtp", "smtps"].contains(url.scheme), url.password == nil, ["", "/"].contains(url.path),
      url.query == nil
    else {
      throw ValidationError(
        "--mail is folder:DIR, smtp://[USER@]HOST[:PORT] or smtps://[USER@]HOST[:PORT]; the password is in SEALRING_MAIL_PASSWORD."
      )
    }
    let isTLS = url.scheme == "smtps"
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    let isHere = ["localhost", "127.0.0.1", "::1"].contains(name)
    let password = Environment.variables["SEALRING_MAIL_PASSWORD"].flatMap {
      $0.isEmpty ? nil : $0
    }
    var settings = SMTPTransport.Settings(
      host: name, port: url.port ?? (isTLS ? 465 : 587), security: isTLS ? .tls : .starttls,
      username: url.user, password: url.user == nil ? nil : password, authorities: mailCa)
    // A relay on this machine needs neither TLS nor a password.
    if isHere, !isTLS, url.user == nil, mailCa == nil { settings.security = .none }
    return .smtp(settings)
  }
}
