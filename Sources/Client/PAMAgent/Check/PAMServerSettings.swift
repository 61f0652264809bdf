#if os(Linux)
  internal import BindingFormats
  internal import Bytes
  internal import Foundation
  internal import PingLogger
  internal import PingNetwork
  internal import PrivateFiles
  internal import WebAddresses

  /// The server that recognises people for PAM, and how it does: root's file, with one fact per line.
  ///
  /// ```
  /// url https://login.example.com/am
  /// realm alpha
  /// ca /etc/sealring/login-ca.pem
  /// journey PushNumber
  /// login.journey PushCode
  /// application ID SECRET
  /// ```
  ///
  /// A word and a dot before the name limit a line to that PAM service.
  struct PAMServerSettings: Sendable, Redacted {
    private static let names: Set<String> = ["url", "realm", "ca", "journey", "application"]
    private static let maximumSize = 64 << 10

    let url: String
    let realm: String
    /// The only authorities whose certificates are accepted from the server; `nil` only for a server of root's on this machine.
    let authorities: CertificateAuthorities?
    let journey: String?
    /// The application that makes transactions: id and secret.
    let application: (id: String, secret: String)?

    /// The port of this machine below which only root's programs can listen.
    private static var firstPortOfAll: UInt16 {
      let file = URL(filePath: "/proc/sys/net/ipv4/ip_unprivileged_port_start")
      let text = (try? file.bytes(atMost: 16)).map { String(decoding: $0, as: UTF8.self) }
      return min(1024, text.flatMap { UInt16($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 1024)
    }

    /// - Parameter firstPortOfAll: The first port of this machine at which anybody can listen while the server is down, so that http is not
    ///   enough there; `nil` for the kernel's setting.
    /// - Throws: `FileStorageError` for a file that others than root could have written; ``PAMRootError`` for a file with other content.
    init(of file: URL, service: String, firstPortOfAll: UInt16? = nil) throws {
      let firstPortOfAll = firstPortOfAll ?? Self.firstPortOfAll
      let path = file.path(percentEncoded: false)
      func wrong(_ problem: String) -> PAMRootError { PAMRootError("\(path) is not used: \(problem).") }
      guard let root = try RootFile(path, atMost: Self.maximumSize) else {
        throw wrong("it cannot be found")
      }
      var values: [String: String] = [:]
      for line in root.lines {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let name = words[0].split(separator: ".").last,
          Self.names.contains(String(name)),
          values.updateValue(words[1].trimmingCharacters(in: .whitespaces), forKey: String(words[0])) == nil
        else { throw wrong("the line '\(line.prefix(40))' is not one of its settings, or there twice") }
      }
      func value(_ name: String) -> String? { values["\(service).\(name)"] ?? values[name] }
      guard let url = value("url"), let origin = WebOrigin(address: url) else {
        throw wrong("it names no server")
      }
      guard origin.isHTTPS || origin.isLoopback && origin.port < firstPortOfAll else {
        throw wrong(
          "the server needs https, unless it is on this machine at a port below \(firstPortOfAll), where only root can listen"
        )
      }
      self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
      realm = RealmPath(value("realm") ?? "root").name
      do {
        authorities = try value("ca").map { path in
          // The authorities decide which server is trusted, as this file does.
          let file = try RootFile(path, atMost: CertificateAuthorities.maximumSize, followsLinks: true)
          guard let file else { throw PAMRootError("\(path), the file of ca, cannot be found") }
          return try CertificateAuthorities(file.bytes, name: path)
        }
      } catch {
        throw wrong(error.localizedDescription)
      }
      guard authorities != nil || !origin.isHTTPS else {
        throw wrong("ca must name the file of the authorities whose certificates are accepted")
      }
      journey = value("journey")
      let words = value("application")?.split(separator: " ").map(String.init)
      application = words.flatMap { $0.count == 2 ? ($0[0], $0[1]) : nil }
      guard words == nil || application != nil else { throw wrong("application needs id and secret") }
      if words != nil { try root.requireSecrecy() }
    }

    /// The URL of the realm's resources.
    var resources: String { RealmPath(realm).resources(at: url) }

    /// The server as people know it.
    var host: String { WebOrigin(address: url)?.host ?? url }

    /// An HTTP client for the server, which trusts only root's authorities, whatever the environment says.
    func client() -> any HttpClientProtocol {
      HttpClient.createClient { config in
        config.logger = LogManager.none
        config.certificateAuthorities = authorities
        config.maximumBodySize = 1 << 20
      }
    }
  }
#endif
