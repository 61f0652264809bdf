public import Foundation
public import MailService
internal import Operations

/// How the server sends mail.
public struct MailConfiguration: Sendable {
  public enum Delivery: Sendable {
    /// Into the folder `mail` beside the database, in files that another program, or a person, reads.
    case folder

    /// Into this folder.
    case directory(URL)

    /// To a mail server.
    case smtp(SMTPTransport.Settings)

    /// By a program that embeds the server.
    case transport(any MailTransport)
  }

  public var delivery = Delivery.folder

  /// The sender of mail when a template names none.
  public var sender = MailAddress.standard
  public var senderName = ""
}

extension MailConfiguration {
  /// - Parameter folder: where the database is; `nil` when everything is in memory, and mail then goes nowhere.
  func transport(folder: URL?, clock: @escaping @Sendable () -> Date) throws(ServerSetupError) -> (
    any MailTransport
  )? {
    switch delivery {
    case .folder: return folder.map { MailFolder(directory: $0.appending(path: "mail"), clock: clock) }
    case .directory(let directory): return MailFolder(directory: directory, clock: clock)
    case .transport(let transport): return transport
    case .smtp(let settings):
      do throws(MailError) { return try SMTPTransport(settings) } catch {
        throw ServerSetupError("Mail cannot be sent: \(error.description).")
      }
    }
  }
}
