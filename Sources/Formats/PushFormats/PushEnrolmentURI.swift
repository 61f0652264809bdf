internal import Bytes

/// The content of an enrolment QR code: `pushauth://push/ISSUER:ACCOUNT?…`, or `mfauth://…`, which enrols a one-time code too.
///
/// It carries the shared secret: anyone who sees the code in time can enrol in the person's place.
public struct PushEnrolmentURI: Sendable, Hashable {
  public var issuer: String
  public var accountName: String
  /// `r`, with its `_action`.
  public var registrationURL: PushServerURL
  /// `a`, with its `_action`.
  public var authenticationURL: PushServerURL
  /// `s`
  public var secret: PushSecret
  /// `c`; needed to register.
  public var challenge: PushChallenge?
  /// `l`: the load balancer's cookie, `name=value`.
  public var loadBalancer: String?
  /// `m`; needed to register.
  public var messageID: String?
  /// `uid`, or `d`.
  public var userID: String?
  /// `pid`: the server's id of the device.
  public var resourceID: String?
  /// `image`
  public var imageURL: String?
  /// `b`: a colour with a leading `#`.
  public var backgroundColor: String?
  /// `policies`: JSON text.
  public var policies: String?

  /// Optional parameters that could not be read and were left out.
  public internal(set) var ignoredParameters: [String] = []

  public init(
    issuer: String, accountName: String, registrationURL: PushServerURL, authenticationURL: PushServerURL,
    secret: PushSecret, challenge: PushChallenge? = nil, loadBalancer: String? = nil,
    messageID: String? = nil, userID: String? = nil, resourceID: String? = nil, imageURL: String? = nil,
    backgroundColor: String? = nil, policies: String? = nil
  ) {
    self.issuer = issuer
    self.accountName = accountName
    self.registrationURL = registrationURL
    self.authenticationURL = authenticationURL
    self.secret = secret
    self.challenge = challenge
    self.loadBalancer = loadBalancer
    self.messageID = messageID
    self.userID = userID
    self.resourceID = resourceID
    self.imageURL = imageURL
    self.backgroundColor = backgroundColor
    self.policies = policies
  }
}

extension PushEnrolmentURI {
  /// The text that a server puts into the QR code, its parameters in the usual order.
  ///
  /// - Parameter oath: Parameters of a one-time code, already encoded, for a combined enrolment (`mfauth`), and its host
  ///   (`totp` or `hotp`).
  public func uri(
    combinedWith oath: (host: String, parameters: [(name: String, value: String)])? = nil
  ) -> String {
    let own: [(String, String?)] = [
      ("l", loadBalancer.map(encoded)), ("issuer", encoded(issuer)), ("m", messageID.map(Self.withColons)),
      ("s", secret.base64URL), ("c", challenge?.base64URL), ("r", encoded(registrationURL.description)),
      ("a", encoded(authenticationURL.description)), ("uid", userID.map(encoded)),
      ("pid", resourceID.map(encoded)), ("b", backgroundColor.map(Self.withoutHash)),
      ("image", imageURL.map { oath == nil ? encoded($0) : PercentEncoding.encode($0) }),
      ("policies", policies.map(encoded)),
    ]
    let parameters = own + (oath?.parameters.map { ($0.name, $0.value) } ?? [])
    return
      "\(oath == nil ? "pushauth" : "mfauth")://\(oath?.host ?? "push")/\(label)?\(Self.query(parameters))"
  }

  /// The text that an app exports: without challenge, message id and cookie, so it cannot be registered again.
  public var exportURI: String {
    func unlessEmpty(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }
    let parameters: [(String, String?)] = [
      ("r", encoded(registrationURL.description)), ("a", encoded(authenticationURL.description)),
      ("s", secret.base64URL), ("issuer", unlessEmpty(issuer).map { PercentEncoding.encode($0) }),
      ("d", unlessEmpty(userID).map(encoded)), ("pid", unlessEmpty(resourceID).map(encoded)),
      ("image", unlessEmpty(imageURL).map(encoded)),
      ("b", unlessEmpty(backgroundColor.map(Self.withoutHash))),
      ("policies", unlessEmpty(policies).map(encoded)),
    ]
    return "pushauth://push/\(label)?\(Self.query(parameters))"
  }

  private var label: String {
    issuer.isEmpty
      ? PercentEncoding.encode(accountName)
      : "\(PercentEncoding.encode(issuer)):\(PercentEncoding.encode(accountName))"
  }

  /// - Parameter parameters: The parameters with encoded values. Those without a value are left out.
  private static func query(_ parameters: [(String, String?)]) -> String {
    parameters.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: "&")
  }

  private func encoded(_ text: String) -> String { Base64URL.encode(text.utf8) }

  /// Message ids have colons, which servers write as they are.
  private static func withColons(_ text: String) -> String {
    PercentEncoding.encode(text).replacing("%3A", with: ":")
  }

  private static func withoutHash(_ color: String) -> String { String(color.drop { $0 == "#" }) }
}
