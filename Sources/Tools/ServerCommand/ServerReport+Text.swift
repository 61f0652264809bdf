import Assembly
import Foundation
import Logging
import TerminalText

extension ServerReport {
  /// Lines for the operator: the addresses, files and options of the running server.
  var text: String {
    var rows = [
      ("address", address), ("page", page), ("admin page", administrationPage),
      ("data", data.map { $0.path(percentEncoded: false) } ?? "in memory"),
      ("transport", transport),
    ]
    rows += realms.map { ("realm \($0.name)", $0.text) }
    rows += unavailable.map { ("not offered", "\($0.realm)/\($0.name): \($0.reason)") }
    rows.append(("administrator", administrator.text))
    return "Sealring \(version)\n"
      + Table.pairs(rows.map { ($0, printable($1)) }, columns: TerminalText.columns, margin: 2)
  }
}

extension ServerReport.Realm {
  fileprivate var text: String {
    let count = bundled.count == 1 ? bundled[0] : "\(bundled.count) bundled journeys"
    guard !own.isEmpty else { return bundled.isEmpty ? "no journeys" : count }
    let names = own.joined(separator: ", ")
    return bundled.isEmpty ? "your \(names)" : "\(count), your \(names)"
  }
}

extension AdministratorState {
  var text: String {
    switch self {
    case .created(let password?):
      "Created the administrator amAdmin with the password \(password.reveal()) (shown only now)."
    case .created(nil): "Created the administrator amAdmin with the password in SEALRING_ADMIN_PASSWORD."
    case .present(hasConfiguredPassword: false):
      "amAdmin. It keeps its own password: SEALRING_ADMIN_PASSWORD has a different one, and is used at the first start only. "
        + "To change it: sealring user passwd amAdmin --realm root --data DIR"
    case .present: "amAdmin"
    case .deleted:
      "amAdmin was deleted; the root realm has other administrators: sealring admin list --realm root"
    }
  }
}

extension LogOptions.LogFormat {
  /// The factory for log handlers.
  var handler: @Sendable (String) -> any LogHandler {
    switch self {
    case .text: { _ in EscapingLogHandler(LineLogHandler(.text) { Output.raw($0) }, quotesValues: true) }
    case .json: { LineLogHandler(.json(label: $0)) { Output.raw($0) } }
    }
  }
}
